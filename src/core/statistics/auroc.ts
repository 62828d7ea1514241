/** @file Area under the ROC curve. */
import type { Estimate } from './rate.js';
import { sigmoid } from './softmax.js';
import { mean, Z95 } from './stats.js';

/**
 * Area under the ROC curve: the probability that a positive scores above a negative, ties counting half. The 95 % interval is that of
 * DeLong et al. (1988) on the logit scale, which keeps it within [0, 1]. Null if either kind is missing. O(n log n).
 */
export function auroc(positives: Float64Array, negatives: Float64Array): Estimate | null {
  const [m, n] = [positives.length, negatives.length];
  if (m === 0 || n === 0) return null;
  const [low, high] = [positives.toSorted(), negatives.toSorted()];
  // Share of the other class that each score exceeds.
  const beats = Array.from(positives, (score) => shareBelow(high, score));
  const beaten = Array.from(negatives, (score) => 1 - shareBelow(low, score));
  const value = mean(beats);
  const variance = varianceOf(beats, value) / m + varianceOf(beaten, value) / n;
  // At 0 and 1 the estimated variance is 0, so half a text is added or removed, as for a proportion.
  const safe = Math.min(1 - 0.5 / (m + n), Math.max(0.5 / (m + n), value));
  const logit = Math.log(safe / (1 - safe));
  const width = (Z95 * Math.sqrt(Math.max(variance, (safe * (1 - safe)) / (m + n)))) / (safe * (1 - safe));
  return { value, low: Math.min(value, sigmoid(logit - width)), high: Math.max(value, sigmoid(logit + width)) };
}

/** Share of sorted values below `score`, equal ones counting half. */
function shareBelow(sorted: Float64Array, score: number): number {
  return (
    (firstFrom(sorted, (value) => value >= score) + firstFrom(sorted, (value) => value > score)) / 2 / sorted.length
  );
}

function firstFrom(sorted: Float64Array, is: (value: number) => boolean): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (is(sorted[middle]!)) to = middle;
    else from = middle + 1;
  }
  return from;
}

const varianceOf = (values: readonly number[], around: number): number =>
  values.length < 2 ? 0 : values.reduce((sum, value) => sum + (value - around) ** 2, 0) / (values.length - 1);
