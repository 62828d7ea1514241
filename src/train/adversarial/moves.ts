/**
 * @file Moves of a whole batch's token embeddings. Sizes are as the embedding attacks have them (`src/search/embedding.ts`): in
 * mean norms of the embedding table's rows, per moved token. `linf`: every coordinate of a row moves by size / sqrt(hidden).
 * `l2`: the rows of a text together move by size x sqrt(tokens). Special tokens and padding stay where they are.
 */
import type { Random } from '../../core/random.js';
import { uniformNoise } from '../noise.js';

export type PerturbationNorm = 'linf' | 'l2';

/** Where a batch of texts may move. */
export interface MovableBatch {
  readonly texts: number;
  /** Tokens of each, padding included. */
  readonly length: number;
  readonly hidden: number;
  /** 1 where a row may move, row-major [texts, length]. */
  readonly movable: Uint8Array;
  /** Mean norm of the embedding table's rows now: a model gains nothing by growing its embeddings. */
  readonly unit: number;
}

/** Up the loss by `size`: Goodfellow et al. 2015 for `linf`; Miyato et al. 2017, equation 5, for `l2`. */
export function ascent(batch: MovableBatch, slope: Float32Array, norm: PerturbationNorm, size: number): Float32Array {
  const step = new Float32Array(slope.length);
  const coordinate = (size * batch.unit) / Math.sqrt(batch.hidden);
  rowsOf(batch, (from, to) => {
    if (norm === 'l2') step.set(slope.subarray(from, to), from);
    else for (let at = from; at < to; at++) step[at] = Math.sign(slope[at]!) * coordinate;
  });
  return norm === 'l2' ? scaledTo(batch, step, size) : step;
}

/** Somewhere within `size`: uniform coordinates for `linf`, a random direction of that length for `l2`. */
export function noise(batch: MovableBatch, random: Random, norm: PerturbationNorm, size: number): Float32Array {
  const all = new Float32Array(batch.movable.length * batch.hidden);
  uniformNoise(all, random);
  const step = new Float32Array(all.length);
  const coordinate = (size * batch.unit) / Math.sqrt(batch.hidden);
  rowsOf(batch, (from, to) => {
    for (let at = from; at < to; at++) step[at] = all[at]! * coordinate;
  });
  return norm === 'l2' ? scaledTo(batch, step, size) : step;
}

/** `move` + `step`, brought back to within `size` of the text. */
export function within(
  batch: MovableBatch,
  move: Float32Array,
  step: Float32Array,
  norm: PerturbationNorm,
  size: number,
): Float32Array {
  const sum = move.map((value, at) => value + step[at]!);
  if (norm === 'l2') return scaledTo(batch, sum, size, true);
  const most = (size * batch.unit) / Math.sqrt(batch.hidden);
  return sum.map((value) => Math.max(-most, Math.min(most, value)));
}

/** Each text's move at a length of size x unit x sqrt(its movable rows); with `only` where it is longer. In place. */
function scaledTo(batch: MovableBatch, move: Float32Array, size: number, only = false): Float32Array {
  const { texts, length, hidden, movable, unit } = batch;
  for (let text = 0; text < texts; text++) {
    const rows = movable.subarray(text * length, (text + 1) * length).reduce((sum, may) => sum + may, 0);
    const values = move.subarray(text * length * hidden, (text + 1) * length * hidden);
    let square = 0;
    for (let at = 0; at < values.length; at++) square += values[at]! ** 2;
    const radius = size * unit * Math.sqrt(rows);
    if (square === 0 || (only && square <= radius * radius)) continue;
    const scale = radius / Math.sqrt(square);
    for (let at = 0; at < values.length; at++) values[at] = values[at]! * scale;
  }
  return move;
}

function rowsOf({ movable, hidden }: MovableBatch, visit: (from: number, to: number) => void): void {
  movable.forEach((may, row) => {
    if (may === 1) visit(row * hidden, (row + 1) * hidden);
  });
}
