/**
 * @file Replacing words by the gradient to first order: replacing the embedding w by v changes the loss by about (v - w) . g. Only single pieces are
 * replaced, by single pieces, so that the text keeps its length.
 */
import type { PaddedBatch } from '../batch-feeds.js';
import type { PerturbationContext } from './methods/method.js';

/** The rows of each text of a batch. */
export function* textsOf({ texts, length }: PaddedBatch): Iterable<readonly [from: number, to: number]> {
  for (let text = 0; text < texts; text++) yield [text * length, (text + 1) * length];
}

/** values[row] . other[of], rows of `hidden`. */
export function dotRows(values: Float32Array, row: number, other: Float32Array, of: number, hidden: number): number {
  let sum = 0;
  for (let k = 0; k < hidden; k++) sum += values[row * hidden + k]! * other[of * hidden + k]!;
  return sum;
}

/** The rows of one text that may be replaced, the largest gradient first (L1 norm, as the attack a2t ranks words). */
export function steepestRows(
  { batch, clean }: PerturbationContext,
  from: number,
  to: number,
  may: (row: number) => boolean,
): number[] {
  const { hidden, movable } = batch;
  const norms = new Map<number, number>();
  for (let row = from; row < to; row++) {
    if (movable[row] !== 1 || !may(row)) continue;
    let norm = 0;
    for (let at = row * hidden; at < (row + 1) * hidden; at++) norm += Math.abs(clean.slope[at]!);
    norms.set(row, norm);
  }
  return [...norms.keys()].sort((a, b) => norms.get(b)! - norms.get(a)! || a - b);
}

/** The candidate that raises the loss most, or undefined. */
export function bestReplacement(
  { batch, clean, table, tokens }: PerturbationContext,
  row: number,
  candidates: Iterable<number>,
): number | undefined {
  const { hidden } = batch;
  let most = dotRows(clean.slope, row, table, tokens.ids[row]!, hidden);
  let found: number | undefined;
  for (const candidate of candidates) {
    const gain = dotRows(clean.slope, row, table, candidate, hidden);
    if (gain > most) [most, found] = [gain, candidate];
  }
  return found;
}
