/** @file How a model does before any attack. Types only. */
import type { CountedEstimate, Rate } from './rate.js';
import type { Coarseness } from './scores.js';
import type { TextCounts } from './text-census.js';

export interface PerClass {
  readonly label: string;
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
  /** Examples of this class. */
  readonly support: number;
}

export interface ApproximationMetrics {
  /** "int8" */
  readonly precision: string;
  /** Where it was computed, if not on the processor: what it was asked is not reproducible to the byte. */
  readonly device?: string;
  /** Texts for which both decide alike. */
  readonly agreement: Rate;
  /** Mean over the texts of the largest absolute difference of a probability. */
  readonly difference: number;
}

/** Some texts that were asked again. */
export interface Repeatability {
  readonly asked: number;
  /** Of these texts, how many were decided differently. */
  readonly changed: number;
  /** The largest difference of a score. */
  readonly difference: number;
}

export interface CleanMetrics extends Partial<DetectionMetrics> {
  /** Of texts with any number of labels: that of the whole set (subset accuracy); of numbers the share closer than delta to the true one. */
  readonly accuracy: Rate;
  /** The mean F1 of the labels that an example has or that are predicted. These and `calibration`: absent of a victim that answers one number. */
  readonly macroF1?: number;
  readonly microF1?: number;
  readonly fBeta?: { readonly beta: number; readonly macro: number };
  readonly perClass: readonly PerClass[];
  /** Row = true label, column = predicted; empty where a text has any number of labels, or a number. Ties are in no column. */
  readonly confusion: readonly (readonly number[])[];
  /** Examples whose highest score is that of several labels: no label is predicted, and the answer is wrong. Absent where there are none. */
  readonly tied?: number;
  /** Why nothing measured on this victim says anything about it (core/degenerate.ts). Absent where it does. */
  readonly degenerate?: readonly string[];
  /** Of the texts; absent where all are different and none is unreadable. */
  readonly texts?: TextCounts;
  /** How far answers to the same text agreed; absent where they were equal, or no text was asked twice. */
  readonly repeatability?: Repeatability;
  /**
   * How finely it tells how sure it is: `labels` where every score is 0 or 1, `rounded` where all come in steps of 0.01 or more. Absent
   * where they are finer, and of fewer than 10 texts.
   */
  readonly scores?: Coarseness;
  /** Present where a text has any number of labels. */
  readonly labelSets?: LabelSetMetrics;
  /** Present of a victim that answers one number. */
  readonly regression?: RegressionMetrics;
  /** Where searches ask an approximation of the model: how close that is on these texts. All other figures here are the model's own. */
  readonly approximation?: ApproximationMetrics;
  /** Expected calibration error over 10 equal-width bins (Guo et al. 2017), and the bins. */
  readonly calibration?: {
    readonly error: number;
    readonly bins: readonly { readonly confidence: number; readonly accuracy: number; readonly n: number }[];
  };
}

/** Of a victim that answers one number; a correlation is absent where answers or true values are constant, or fewer than 4. */
export interface RegressionMetrics {
  readonly meanSquaredError?: CountedEstimate;
  readonly meanAbsoluteError?: CountedEstimate;
  readonly pearson?: CountedEstimate;
  readonly spearman?: CountedEstimate;
}

/** Of a detector, whose positive label is what it looks for. */
export interface DetectionMetrics {
  /** Scores from here on are positive. */
  readonly threshold: number;
  /** Of the positives, those detected. */
  readonly recall: Rate;
  /** Of the negatives, those detected. */
  readonly falsePositiveRate: Rate;
  /** Of those detected, the positives. */
  readonly precision: Rate;
  /** Area under the ROC curve; absent where either kind is missing. */
  readonly auroc?: Rate;
  /** Area under the curve of precision against recall; `n` counts the positives. */
  readonly averagePrecision?: Rate;
  /** What other thresholds would do, the highest first. */
  readonly curve: readonly CurvePoint[];
}

export interface CurvePoint
  extends Pick<DetectionMetrics, 'threshold' | 'recall' | 'falsePositiveRate' | 'precision'> {}

/** Of a victim that gives a text any number of labels: each label a detector of its own. */
export interface LabelSetMetrics {
  /** Over the labels of all texts. */
  readonly microPrecision: Rate;
  readonly microRecall: Rate;
  readonly perLabel: readonly (Omit<DetectionMetrics, 'averagePrecision' | 'curve'> & { readonly label: string })[];
}
