/** @file The area under the curve of precision against recall. */
import type { Rate } from './rate.js';
import { sigmoid } from './softmax.js';
import { Z95 } from './stats.js';

/**
 * Average precision: the sum over thresholds of (R_k - R_k-1) P_k, as scikit-learn's `average_precision_score` (without interpolation,
 * which is too optimistic). The 95 % interval is the logit interval of Boyd, Eng and Page ("Area under the precision-recall curve: point
 * estimates and confidence intervals", ECML PKDD 2013, section 3.2). Both inputs are sorted ascending. Undefined if either kind is missing.
 */
export function averagePrecision(positives: Float64Array, negatives: Float64Array): Rate | undefined {
  const n = positives.length;
  if (n === 0 || negatives.length === 0) return undefined;
  let [at, alarms, area] = [n, negatives.length, 0];
  while (at > 0) {
    const score = positives[at - 1]!;
    const before = at;
    while (at > 0 && positives[at - 1] === score) at--;
    while (alarms > 0 && negatives[alarms - 1]! >= score) alarms--;
    const hits = n - at;
    area += ((before - at) / n) * (hits / (hits + negatives.length - alarms));
  }
  // At 1 the logit interval does not exist, so half a text is subtracted, as for a proportion.
  const safe = Math.min(area, 1 - 0.5 / n);
  const logit = Math.log(safe / (1 - safe));
  const width = Z95 / Math.sqrt(n * safe * (1 - safe));
  return { value: area, low: Math.min(area, sigmoid(logit - width)), high: Math.max(area, sigmoid(logit + width)), n };
}
