/**
 * @file Moves of a text's token embeddings. Sizes are in units of the embedding table's mean row norm, per moved token, so one epsilon
 * means the same for models of any width: a step of size 1 is as long as a mean embedding.
 *
 * - `linf`: every coordinate of a row moves by size / sqrt(hidden), so the row moves by `size`.
 * - `l2`: all rows together move by size * sqrt(tokens), distributed by the gradient.
 */
import type { EmbeddingGradient, Token } from '../core/classifier.js';
import { getOrCompute } from '../core/get-or-compute.js';
import type { Random } from '../core/random.js';
import { meanRowNorm } from '../core/row-norm.js';

export type Norm = 'linf' | 'l2';

/** A text as embeddings. */
export interface EmbeddedText {
  readonly tokens: readonly Token[];
  /** Row-major [tokens, hidden]. */
  readonly embeddings: Float32Array;
  readonly hidden: number;
  /** Mean row norm of the embedding table. */
  readonly unit: number;
}

const units = new WeakMap<Float32Array, number>();

/** Mean norm of the rows of a model's table, computed once per table. */
export const unitOf = (table: Float32Array, hidden: number): number =>
  getOrCompute(units, table, () => meanRowNorm(table, hidden));

/** A direction of size 1; rows of special tokens stay zero. `linf` takes the sign of each coordinate, `l2` scales `values` as a whole. */
function direction({ tokens, hidden }: EmbeddedText, values: (at: number) => number, norm: Norm): Float32Array {
  const step = new Float32Array(tokens.length * hidden);
  let square = 0;
  let moveEmbeddings = 0;
  tokens.forEach(({ special }, row) => {
    if (special) return;
    moveEmbeddings++;
    for (let at = row * hidden; at < (row + 1) * hidden; at++) {
      const value = values(at);
      step[at] = norm === 'linf' ? Math.sign(value) / Math.sqrt(hidden) : value;
      square += value * value;
    }
  });
  if (norm === 'l2' && square > 0) {
    const scale = Math.sqrt(moveEmbeddings / square);
    for (let at = 0; at < step.length; at++) step[at]! *= scale;
  }
  return step;
}

/** Increases the loss (Goodfellow et al. 2015 for `linf`; Miyato et al. 2017, equation 5, for `l2`), or decreases it with `sign` -1. */
export const ascent = (
  place: EmbeddedText,
  gradient: EmbeddingGradient['values'],
  norm: Norm,
  sign = 1,
): Float32Array => direction(place, (at) => sign * gradient[at]!, norm);

/** A random direction, as a control for the gradient. */
export const noise = (place: EmbeddedText, random: Random, norm: Norm): Float32Array =>
  direction(place, () => random.normal(), norm);

/** embeddings + size * unit * step */
export function move({ embeddings, unit }: EmbeddedText, step: Float32Array, size: number): Float32Array {
  return embeddings.map((value, at) => value + size * unit * step[at]!);
}

/** The point nearest to `at` within `size` of the text. */
export function withinBall(place: EmbeddedText, at: Float32Array, size: number, norm: Norm): Float32Array {
  const { tokens, embeddings, hidden, unit } = place;
  if (norm === 'linf') {
    const most = (size * unit) / Math.sqrt(hidden);
    return at.map((value, k) => {
      const from = embeddings[k]!;
      return Math.min(from + most, Math.max(from - most, value));
    });
  }
  const radius = size * unit * Math.sqrt(tokens.filter(({ special }) => !special).length);
  let square = 0;
  for (let k = 0; k < at.length; k++) square += (at[k]! - embeddings[k]!) ** 2;
  const scale = square > radius * radius ? radius / Math.sqrt(square) : 1;
  return at.map((value, k) => embeddings[k]! + scale * (value - embeddings[k]!));
}
