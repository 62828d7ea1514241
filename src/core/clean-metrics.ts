/** @file How a model does before any attack. Types only. */
import type { Rate } from './rate.js';

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
  /** Expected calibration error over 10 equal-width bins (Guo et al. 2017), and the bins. */
  readonly calibration: {
    readonly error: number;
    readonly bins: readonly { readonly confidence: number; readonly accuracy: number; readonly n: number }[];
  };
}
