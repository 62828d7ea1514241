/** @file F scores and calibration from counts of classes or labels, as in scikit-learn. */
import { must } from '../../core/errors.js';
import { sum } from '../../core/statistics/stats.js';

/** Zero for an empty denominator: scikit-learn's `zero_division=0`. */
export const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

export interface ClassCounts {
  readonly hits: number;
  /** Examples of the class. */
  readonly support: number;
  readonly predicted: number;
}

/** (1 + b^2) TP / ((1 + b^2) TP + b^2 FN + FP), from counts because precision and recall may both be undefined. */
export const fScore = ({ hits, support, predicted }: ClassCounts, b = 1): number =>
  ratio((1 + b * b) * hits, b * b * support + predicted);

/** The scores of each class, and their means over the classes that occur or were predicted. */
export function classScores(labels: readonly string[], counts: readonly ClassCounts[], beta: number) {
  const met = counts.filter(({ support, predicted }) => support + predicted > 0);
  // Sorted, so that no order of the labels changes the last bit.
  const macro = (b: number): number =>
    ratio(sum(met.map((count) => fScore(count, b)).sort((x, y) => x - y)), met.length);
  const perClass = counts.map((count, label) => ({
    label: must(labels[label]),
    precision: ratio(count.hits, count.predicted),
    recall: ratio(count.hits, count.support),
    f1: fScore(count),
    support: count.support,
  }));
  return { macroF1: macro(1), fBeta: { beta, macro: macro(beta) }, perClass };
}

/** Calibration bins of equal width (Guo et al. 2017, section 2). */
export const BINS = 10;
/** Confidences are summed in these units: float32's own resolution just below 1, and exact for 2^29 examples. */
const UNIT = 2 ** -24;

/** Folds confidences, in any order. A bin includes its upper bound, so 0.1 falls into the first. */
export function calibrationFold() {
  const bins = Array.from({ length: BINS }, () => ({ confidence: 0, right: 0, n: 0 }));
  return {
    add(confidence: number, right: boolean): void {
      const bin = must(bins[Math.min(BINS, Math.max(1, Math.ceil(confidence * BINS))) - 1]);
      bin.confidence += Math.round(confidence / UNIT);
      bin.right += right ? 1 : 0;
      bin.n += 1;
    },
    value: () => ({
      error: ratio(sum(bins.map((bin) => Math.abs(bin.right - bin.confidence * UNIT))), sum(bins.map(({ n }) => n))),
      bins: bins.map(({ confidence, right, n }) => ({
        confidence: ratio(confidence * UNIT, n),
        accuracy: ratio(right, n),
        n,
      })),
    }),
  };
}
