/** @file How a model does before any attack. Types only. */
import type { Rate } from './rate.js';
import type { Coarseness } from './scores.js';

export interface PerClass {
  readonly label: string;
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
  /** Examples of this class. */
  readonly support: number;
}

export interface CleanMetrics {
  readonly accuracy: Rate;
  readonly macroF1: number;
  readonly microF1: number;
  readonly fBeta: { readonly beta: number; readonly macro: number };
  readonly perClass: readonly PerClass[];
  /** Row = true label, column = predicted. */
  readonly confusion: readonly (readonly number[])[];
  /** Why nothing measured on this victim says anything about it (core/degenerate.ts). Absent where it does. */
  readonly degenerate?: readonly string[];
  /**
   * How finely it tells how sure it is: `labels` where every score is 0 or 1, `rounded` where all come in steps of 0.01 or more. Absent
   * where they are finer, and of fewer than 10 texts.
   */
  readonly scores?: Coarseness;
  /** Expected calibration error over 10 equal-width bins (Guo et al. 2017), and the bins. */
  readonly calibration: {
    readonly error: number;
    readonly bins: readonly { readonly confidence: number; readonly accuracy: number; readonly n: number }[];
  };
}
