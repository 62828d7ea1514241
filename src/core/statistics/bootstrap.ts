/**
 * @file Paired bootstrap (Efron and Tibshirani 1993, chapters 8 and 13) of the difference between two figures that are not proportions: an
 * area, an F1, an error, a correlation. Examples are resampled together with both models' answers.
 */
import { must } from '../errors.js';
import type { Random } from '../random.js';
import type { Difference } from './rate.js';
import { upperTail } from './stats.js';

const MOST_RESAMPLES = 2000;
const FEWEST_RESAMPLES = 200;
/** Draws in total. Larger data sets get fewer resamples. */
const MOST_DRAWS = 2e7;

/** Undefined if the figure does not exist. */
type MaybeNumber = number | undefined;
/** A figure of n examples in which example `i` counts `times[i]` times. O(n). */
export type Statistic = (times: ArrayLike<number>) => MaybeNumber;

export interface StatisticPair {
  readonly a: Statistic;
  readonly b: Statistic;
  /**
   * Examples that the models answered differently. No p-value is below 2^-differing, the smallest that swapping these answers could give.
   */
  readonly differing: number;
}

export interface PercentileBounds {
  readonly low: number;
  readonly high: number;
}

export interface ResampledPair {
  /** 95 % percentile intervals. Undefined if the figure is undefined in all resamples. */
  readonly a: PercentileBounds | undefined;
  readonly b: PercentileBounds | undefined;
  /** b - a on the given examples, with the percentile interval of the resamples. */
  readonly difference: Difference;
  /** One-sided p-values: b is no lower than a, b is no higher than a. Null if the difference is null. */
  readonly lower: number | null;
  readonly higher: number | null;
}

/** Figures of the same n examples, resampled together. */
export function pairedBootstrap(n: number, pairs: readonly StatisticPair[], random: Random): ResampledPair[] {
  const resamples = Math.max(FEWEST_RESAMPLES, Math.min(MOST_RESAMPLES, Math.floor(MOST_DRAWS / Math.max(1, n))));
  const samples = pairs.map(() => ({ a: [] as MaybeNumber[], b: [] as MaybeNumber[] }));
  const times = new Uint32Array(n);
  for (let resample = 0; n > 0 && resample < resamples; resample++) {
    times.fill(0);
    for (let draw = 0; draw < n; draw++) times[random.int(n)]! += 1;
    for (const [at, { a, b }] of pairs.entries()) {
      must(samples[at]).a.push(a(times));
      must(samples[at]).b.push(b(times));
    }
  }
  const once = new Uint32Array(n).fill(1);
  return pairs.map(({ a, b, differing }, at) => {
    const drawn = must(samples[at]);
    const differences = drawn.a.map((x, draw) => minus(drawn.b[draw], x)).filter((each) => each !== undefined);
    const value = n === 0 ? undefined : minus(b(once), a(once));
    const [ofA, ofB, between] = [percentileBounds(drawn.a), percentileBounds(drawn.b), percentileBounds(differences)];
    if (value === undefined || between === undefined) {
      return { a: ofA, b: ofB, difference: { value: null, low: null, high: null, n: 0 }, lower: null, higher: null };
    }
    const tail = (sign: number): number => tailOf(differences, value, sign, differing);
    // If the models agree on all examples, all resampled differences are 0.
    const [low, high] = [Math.min(between.low, value), Math.max(between.high, value)];
    return { a: ofA, b: ofB, difference: { value, low, high, n }, lower: tail(-1), higher: tail(1) };
  });
}

/**
 * Share of the resamples whose difference does not have this sign, with 1 added to both counts. If no resample qualifies, the normal
 * approximation estimates how far below that share the p-value lies.
 */
function tailOf(differences: readonly number[], value: number, sign: number, differing: number): number {
  const against = differences.filter((each) => sign * each <= 0).length;
  const share = (against + 1) / (differences.length + 1);
  const mean = differences.reduce((sum, each) => sum + each, 0) / differences.length;
  const variance = differences.reduce((sum, each) => sum + (each - mean) ** 2, 0) / Math.max(1, differences.length - 1);
  const normal = variance === 0 ? 0 : upperTail((sign * value) / Math.sqrt(variance));
  return Math.max(2 ** -differing, against === 0 ? Math.min(share, normal) : share);
}

const minus = (b: MaybeNumber, a: MaybeNumber): MaybeNumber => (a === undefined || b === undefined ? undefined : b - a);

/** 95 % percentile interval of resampled figures. Undefined if the figure is undefined in all resamples. */
export function percentileBounds(figures: readonly MaybeNumber[]): PercentileBounds | undefined {
  const ascending = Float64Array.from(figures.filter((each) => each !== undefined)).sort();
  if (ascending.length === 0) return undefined;
  const at = (share: number): number => ascending[Math.round(share * (ascending.length - 1))]!;
  return { low: at(0.025), high: at(0.975) };
}
