/** @file Metrics of a detector without attack: recall, false positives, and both as functions of the threshold. */
import type { ThresholdDecision, Truth } from '../../core/decision.js';
import { defined } from '../../core/defined.js';
import { must } from '../../core/errors.js';
import { auroc } from '../../core/statistics/auroc.js';
import { averagePrecision } from '../../core/statistics/average-precision.js';
import { wilson } from '../../core/statistics/stats.js';
import type { CurvePoint, DetectionMetrics } from './clean-metrics.js';

/** Most points of a curve that are kept, more than a chart can show. */
const MOST_POINTS = 101;

/** Folds the answers to unedited texts, in any order; eight bytes per text. The figures equal scikit-learn's metrics of the same names. */
export function detectionFold(detector: ThresholdDecision) {
  const positives: number[] = [];
  const negatives: number[] = [];
  return {
    add(truth: Truth, row: ArrayLike<number>): void {
      (detector.isPositive(truth.label) ? positives : negatives).push(detector.score(row));
    },
    metrics(): DetectionMetrics {
      const [of, others] = [Float64Array.from(positives).sort(), Float64Array.from(negatives).sort()];
      const at = Math.fround(detector.rule.at);
      const [hits, alarms] = [atLeast(of, at), atLeast(others, at)];
      const n = of.length + others.length;
      const area = auroc(of, others);
      const precision = averagePrecision(of, others);
      return {
        threshold: detector.rule.at,
        recall: wilson(hits, of.length),
        falsePositiveRate: wilson(alarms, others.length),
        precision: wilson(hits, hits + alarms),
        ...(area && { auroc: { ...area, n } }),
        ...defined({ averagePrecision: precision }),
        curve: curve(of, others),
      };
    },
  };
}

/** Number of scores, sorted ascending, that are at least `threshold`. */
function atLeast(ascending: Float64Array, threshold: number): number {
  let [from, to] = [0, ascending.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (must(ascending[middle]) >= threshold) to = middle;
    else from = middle + 1;
  }
  return ascending.length - from;
}

/** Result of each threshold, from the highest score down, evenly sampled if there are too many. */
function curve(positives: Float64Array, negatives: Float64Array): CurvePoint[] {
  const scores = [...new Set([...positives, ...negatives])].sort((a, b) => b - a);
  const last = scores.length - 1;
  const step = Math.max(1, last / (MOST_POINTS - 1));
  const places = new Set<number>();
  for (let place = 0; place < last; place += step) places.add(Math.round(place));
  if (last >= 0) places.add(last);
  return [...places].map((place) => {
    const threshold = must(scores[place]);
    const [hits, alarms] = [atLeast(positives, threshold), atLeast(negatives, threshold)];
    return {
      threshold,
      recall: wilson(hits, positives.length),
      falsePositiveRate: wilson(alarms, negatives.length),
      precision: wilson(hits, hits + alarms),
    };
  });
}
