/** @file Statistics of two yes-or-no answers to the same examples: model A's and model B's, before and after. */
import { must } from '../errors.js';
import type { Difference } from './rate.js';
import { wilson } from './stats.js';

/** How many examples gave each pair of answers. */
export interface PairedCounts {
  readonly both: number;
  readonly onlyA: number;
  readonly onlyB: number;
  readonly neither: number;
}

/**
 * The rate of B minus the rate of A, with the 95 % interval of Newcombe (1998, "Improved confidence intervals for the difference between
 * binomial proportions based on paired data", method 10): Wilson's intervals of the two rates, combined with their correlation, which is
 * corrected for continuity. Null without examples.
 */
export function pairedDifference({ both, onlyA, onlyB, neither }: PairedCounts): Difference {
  const n = both + onlyA + onlyB + neither;
  const a = wilson(both + onlyA, n);
  const b = wilson(both + onlyB, n);
  if (a.value === null || b.value === null) return { value: null, low: null, high: null, n };
  const phi = correlation(both, onlyA, onlyB, neither);
  const value = (onlyB - onlyA) / n; // not b - a, whose last bit depends on `both`
  const combine = (x: number, y: number): number => Math.sqrt(Math.max(0, x * x - 2 * phi * x * y + y * y));
  return {
    value,
    low: Math.max(-1, value - combine(b.value - must(b.low), must(a.high) - a.value)),
    high: Math.min(1, value + combine(must(b.high) - b.value, a.value - must(a.low))),
    n,
  };
}

function correlation(both: number, onlyA: number, onlyB: number, neither: number): number {
  const margins = (both + onlyA) * (onlyB + neither) * (both + onlyB) * (onlyA + neither);
  if (margins === 0) return 0;
  const excess = both * neither - onlyA * onlyB;
  const half = (both + onlyA + onlyB + neither) / 2;
  return (excess > 0 ? Math.max(0, excess - half) : excess) / Math.sqrt(margins);
}

/**
 * Exact two-sided p-value of McNemar's test: the probability of at least so uneven a split of the examples on which A and B differ, if
 * either direction were equally likely (binomial with 1/2). 1 if no example differs.
 */
export function mcnemarExact(onlyA: number, onlyB: number): number {
  const n = onlyA + onlyB;
  const fewer = Math.min(onlyA, onlyB);
  if (2 * fewer === n) return 1;
  // Sums from the largest term down, relative to it, so nothing is lost where 2^-n underflows.
  let term = 1;
  let tail = 1;
  for (let k = fewer; k > 0; k -= 1) {
    term *= k / (n - k + 1);
    tail += term;
  }
  let logChoose = 0;
  for (let k = 1; k <= fewer; k += 1) logChoose += Math.log((n - fewer + k) / k);
  return Math.min(1, 2 * tail * Math.exp(logChoose - n * Math.LN2));
}

/** p-values with Holm's step-down correction (1979), in the given order. */
export function holm(ps: readonly number[]): number[] {
  const adjusted = new Array<number>(ps.length);
  let floor = 0;
  ps.map((p, at) => ({ p, at }))
    .sort((x, y) => x.p - y.p)
    .forEach(({ p, at }, rank) => {
      floor = Math.max(floor, Math.min(1, p * (ps.length - rank)));
      adjusted[at] = floor;
    });
  return adjusted;
}

/** Holm's correction over those that have a p-value. */
export function holmOver(ps: readonly (number | null)[]): (number | null)[] {
  const known = holm(ps.filter((p) => p !== null));
  let at = 0;
  return ps.map((p) => (p === null ? null : must(known[at++])));
}
