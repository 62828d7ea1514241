/** @file Formats figures with the same digits in reports, messages and errors. */
import type { Rate } from './statistics/rate.js';

/** A fraction as a percentage: `81.5 %`. */
export const percent = (fraction: number | null): string =>
  fraction === null ? '-' : `${(fraction * 100).toFixed(1)} %`;

/** `1 example`, `200 examples`, `2 queries`. */
export const quantity = (count: number, noun: string, many = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : many}`;

/** 95 % interval of a rate in percent, `75-87`; with a decimal only if it is narrow enough to need one: `81.2-81.9`. */
export function interval({ low, high }: Pick<Rate, 'low' | 'high'>): string {
  if (low === null || high === null) return '';
  const digits = high - low < 0.02 ? 1 : 0;
  return [low, high].map((bound) => (bound * 100).toFixed(digits)).join('-');
}

/** `0.913 [0.880 to 0.940]` */
export const withBounds = (
  { value, low, high }: { readonly value: number; readonly low: number; readonly high: number },
  digits = 3,
): string => `${value.toFixed(digits)} (${low.toFixed(digits)} to ${high.toFixed(digits)})`;
