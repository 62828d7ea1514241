/** @file The mean difference of two models over texts and over seeds of their training, with both sampled. */
import { must } from '../errors.js';
import { mcnemarExact } from './paired.js';
import { mean, sum } from './stats.js';

/** Whether A and B answer a text right, for each text: 1 or 0 of both; undefined if either gave no answer. */
export type PairedAnswers = readonly (readonly [a: number, b: number] | undefined)[];

export interface SeedDifference {
  readonly value: number;
  /** 95 % interval. */
  readonly low: number;
  readonly high: number;
  /** Two-sided p-value of no difference over all texts and seeds. */
  readonly p: number;
}

/** From here on Student's quantile is taken as that of this many degrees of freedom, which is larger by at most 1 %. */
const MOST_FREEDOM = 200;

/**
 * B's accuracy less A's, in a model where texts and seeds are both drawn: its variance is that of the texts' means plus that of the seeds' means,
 * the sum that a bootstrap of both has (Owen 2007, "The pigeonhole bootstrap"); A's and B's seeds are drawn apart (Welch 1947). Each part has
 * Student's quantile of its own degrees of freedom, and the two are added in squares (Zou and Donner 2008, "Construction of confidence limits
 * about effect measures"), because two or three seeds say little of their own variance. `seeds`: one row a seed, two rows or more, columns the
 * same texts.
 */
export function seedDifference(seeds: readonly PairedAnswers[]): SeedDifference {
  const accuracies = [0, 1].map((model) => seeds.map((row) => mean(answered(row).map((pair) => must(pair[model])))));
  const texts = Math.max(...seeds.map(({ length }) => length));
  const perText = Array.from({ length: texts }, (_, text) => answered(seeds.map((row) => row[text])))
    .filter((pairs) => pairs.length > 0)
    .map((pairs) => mean(pairs.map(([a, b]) => b - a)));
  const value = mean(must(accuracies[1])) - mean(must(accuracies[0]));
  const ofSeeds = accuracies.map(varianceOfMean);
  const parts = [
    { variance: sum(ofSeeds), freedom: welchFreedom(ofSeeds, seeds.length - 1) },
    { variance: varianceOfMean(perText), freedom: Math.min(perText.length - 1, MOST_FREEDOM) },
  ];
  const reach = (tail: number): number =>
    Math.sqrt(sum(parts.map(({ variance, freedom }) => variance * studentQuantile(tail, freedom) ** 2)));
  const half = reach(0.05);
  // Few texts differ: no smaller than the exact test of how many tend either way.
  const exact = mcnemarExact(perText.filter((each) => each < 0).length, perText.filter((each) => each > 0).length);
  return {
    value,
    low: Math.max(-1, value - half),
    high: Math.min(1, value + half),
    p: Math.max(
      exact,
      bisect((tail) => reach(tail) > Math.abs(value), 0, 1),
    ),
  };
}

const answered = (pairs: PairedAnswers) => pairs.filter((pair) => pair !== undefined);

/** Degrees of freedom of a sum of two variances of means, each of `freedom`: rounded down, from `freedom` to twice as many. */
function welchFreedom(variances: readonly number[], freedom: number): number {
  const squares = sum(variances.map((variance) => variance ** 2));
  return squares === 0 ? freedom : Math.max(freedom, Math.floor((freedom * sum(variances) ** 2) / squares));
}

function varianceOfMean(values: readonly number[]): number {
  const middle = mean(values);
  return sum(values.map((value) => (value - middle) ** 2)) / (values.length - 1) / values.length;
}

/** The number exceeded in absolute value with probability `tail`. */
function studentQuantile(tail: number, freedom: number): number {
  const angle = bisect((at) => studentTail(at, freedom) > tail, 0, Math.PI / 2);
  return Math.sqrt(freedom) * Math.tan(angle);
}

/** Probability that |t| exceeds sqrt(freedom) tan(angle) (Abramowitz and Stegun 1964, 26.7.3 and 26.7.4). */
function studentTail(angle: number, freedom: number): number {
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  const odd = freedom % 2;
  let term = odd ? cosine : 1;
  let total = 0;
  for (let power = odd ? 3 : 2; power <= freedom; power += 2) {
    total += term;
    term *= (cosine * cosine * (power - 1)) / power;
  }
  return 1 - (odd ? (2 / Math.PI) * (angle + sine * total) : sine * total);
}

/** The place in [low, high] where `left`, true before it, becomes false. */
function bisect(left: (at: number) => boolean, low: number, high: number): number {
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (left(middle)) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
