/** @file Statistics of proportions. */
import type { Rate } from './rate.js';

/** Standard normal quantile of 0.975. */
const Z95 = 1.959963984540054;

/**
 * A proportion with its Wilson score interval at 95 % (Wilson 1927; Brown, Cai and DasGupta 2001, section 3.1.1):
 * it keeps its coverage near 0 and 1, where the textbook interval has width zero. `z` widens it: the normal quantile of
 * another confidence.
 */
export function wilson(successes: number, n: number, z = Z95): Rate {
  if (!(Number.isInteger(successes) && Number.isInteger(n) && successes >= 0 && n >= successes)) {
    throw new RangeError(`expected integers with 0 <= successes <= n, got ${successes} of ${n}`);
  }
  if (n === 0) return { value: null, low: null, high: null, n };
  const p = successes / n;
  const z2 = z * z;
  const centre = p + z2 / (2 * n);
  const spread = z * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n * n));
  const scale = 1 + z2 / n;
  return {
    value: p,
    // Exact at the ends, where rounding would leave -1e-17.
    low: successes === 0 ? 0 : (centre - spread) / scale,
    high: successes === n ? 1 : (centre + spread) / scale,
    n,
  };
}
