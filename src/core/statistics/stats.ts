/** @file Statistics of proportions. */
import { must } from '../errors.js';
import type { Rate } from './rate.js';

/** The 97.5th percentile of the standard normal distribution. */
export const Z95 = 1.959963984540054;

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
export const mean = (values: readonly number[]): number => sum(values) / values.length;

/**
 * A proportion with its 95 % Wilson score interval (Wilson 1927; Brown, Cai and DasGupta 2001, section 3.1.1). It keeps its coverage near 0
 * and 1, where the textbook interval has width zero. `z`: normal quantile, for other confidence levels.
 */
export function wilson(successes: number, n: number, z = Z95): Rate {
  if (!(Number.isInteger(successes) && Number.isInteger(n) && successes >= 0 && n >= successes)) {
    throw new RangeError(`expected integers with 0 <= successes <= n, got ${successes} of ${n}`);
  }
  if (n === 0) return { value: null, low: null, high: null, n };
  const p = successes / n;
  return { value: p, ...wilsonBounds(p, n, z), n };
}

/** Wilson bounds of a mean `p` of n values from 0 to 1. For values other than 0 and 1 they are conservative, because a proportion varies most. */
export function wilsonBounds(p: number, n: number, z = Z95): { low: number; high: number } {
  const z2 = z * z;
  const centre = p + z2 / (2 * n);
  const spread = z * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n * n));
  const scale = 1 + z2 / n;
  // Exact at the ends, where rounding would give -1e-17.
  return { low: p === 0 ? 0 : (centre - spread) / scale, high: p === 1 ? 1 : (centre + spread) / scale };
}

/** The 80th percentile of the standard normal distribution: the power of `decidingSize`. */
const Z80 = 0.8416212335729143;

/**
 * Examples for which the 95 % interval of a figure excludes `limit` with probability 0.8, if the figure is what was measured; infinite where it is the
 * limit. A proportion's spread at the limit is known (Wilson's interval is that of the score test); that of other figures follows from their interval.
 */
export function decidingSize({ value, low, high, n }: Figure, limit: number): number {
  const own = value >= 0 && value <= 1 ? wilsonBounds(value, n) : undefined;
  const proportion = own !== undefined && Math.abs(own.low - low) + Math.abs(own.high - high) < 1e-9;
  const spread = proportion
    ? Z95 * Math.sqrt(limit * (1 - limit)) + Z80 * Math.sqrt(value * (1 - value))
    : ((Z95 + Z80) * Math.sqrt(n) * (high - low)) / (2 * Z95);
  return Math.ceil((spread / (value - limit)) ** 2);
}

interface Figure {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly n: number;
}

/** P(X >= from) for n draws with probability p. */
export function binomialTail(from: number, n: number, p: number): number {
  let log = n * Math.log1p(-p);
  let below = 0;
  for (let k = 0; k < from; k++) {
    below += Math.exp(log);
    log += Math.log((n - k) / (k + 1)) + Math.log(p) - Math.log1p(-p);
  }
  return 1 - below;
}

/**
 * The probability p at which `from` or more of n draws have probability `share`. With from = successes, it is the lower Clopper-Pearson
 * bound for tail `share`; with from = successes + 1 and 1 - share, the upper one.
 */
export function binomialQuantile(from: number, n: number, share: number): number {
  if (from <= 0) return 0;
  if (from > n) return 1;
  let [low, high] = [0, 1];
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (binomialTail(from, n, middle) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/**
 * A proportion with its exact 95 % interval (Clopper and Pearson 1934), where the binomial tails are 2.5 % each. Its coverage is never
 * below 95 %, unlike Wilson's near the ends. Throws RangeError for n = 0.
 */
export function clopperPearson(successes: number, n: number): { value: number; low: number; high: number; n: number } {
  if (!(Number.isInteger(successes) && Number.isInteger(n) && successes >= 0 && n >= successes && n > 0)) {
    throw new RangeError(`expected integers with 0 <= successes <= n and n > 0, got ${successes} of ${n}`);
  }
  return {
    value: successes / n,
    low: binomialQuantile(successes, n, 0.025),
    high: binomialQuantile(successes + 1, n, 0.975),
    n,
  };
}

/** P(Z > z) for a standard normal Z, by Abramowitz and Stegun 26.2.17 and, beyond 4, 26.2.12. The relative error is below 1 %. */
export function upperTail(z: number): number {
  if (z < 0) return 1 - upperTail(-z);
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  if (z > 4) return (density / z) * (1 - 1 / z ** 2 + 3 / z ** 4);
  const t = 1 / (1 + 0.2316419 * z);
  return density * t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
}

/**
 * Cohen's kappa of a square table [of one][of the other], with its standard error (Cohen 1960, equation 7). Null for an empty table, or if
 * chance alone makes both agree always.
 */
export function cohensKappa(table: readonly (readonly number[])[]): { kappa: number; error: number } | null {
  const n = sum(table.map(sum));
  const agreed = sum(table.map((row, at) => must(row[at]))) / n;
  const chance = sum(table.map((row, at) => (sum(row) * sum(table.map((each) => must(each[at])))) / n ** 2));
  const room = 1 - chance;
  if (n === 0 || !(room > 1e-9)) return null;
  return { kappa: (agreed - chance) / room, error: Math.sqrt((agreed * (1 - agreed)) / n) / room };
}
