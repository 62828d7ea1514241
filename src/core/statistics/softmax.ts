/** @file Converts logits to probabilities. */

/** 1 / (1 + e^-x). */
export const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

/** log(1 + e^x), without overflow. */
export const softplus = (x: number): number => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));

/**
 * In place: e^(x / temperature), divided by their sum. The sum is computed in double precision, so the row adds up to 1 within its own
 * precision.
 */
export function softmax(row: Float32Array | Float64Array, temperature = 1): void {
  let highest = Number.NEGATIVE_INFINITY;
  for (const value of row) highest = Math.max(highest, value);
  const powers = Array.from(row, (value) => Math.exp((value - highest) / temperature));
  const total = powers.reduce((a, b) => a + b, 0);
  for (let at = 0; at < row.length; at++) row[at] = powers[at]! / total;
}
