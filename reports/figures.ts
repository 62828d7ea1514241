/** @file How numbers are written in reports that people read: the same digits everywhere. */
import type { Difference, Estimate } from '../src/core/statistics/rate.js';

export { interval, percent, withBounds } from '../src/core/figure-text.js';

/** A difference in points: `+27.0`. */
export const points = (fraction: number | null): string =>
  fraction === null ? '-' : `${fraction > 0 ? '+' : ''}${(fraction * 100).toFixed(1)}`;

/** The bounds of a difference in points: `+21.0 to +33.0`. */
export const bounds = ({ low, high }: Difference): string => (low === null ? '' : `${points(low)} to ${points(high)}`);

/** A p-value: `<0.001`, `0.042`. */
export const probability = (p: number | null): string => (p === null ? '-' : p < 0.001 ? '<0.001' : p.toFixed(3));

/** `0.913 (0.88-0.94)` */
export const estimate = (of: Estimate | null): string =>
  of === null ? '-' : `${of.value.toFixed(3)} (${of.low.toFixed(2)}-${of.high.toFixed(2)})`;

/** `+0.123`, `-0.040` */
export const signed = (value: number, digits = 3): string =>
  `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(digits)}`;
