import type { EmbeddingGradient } from '../core/classifier.js';
import type { Draft } from '../core/draft.js';
import { tokensWithin } from '../core/word-tokens.js';

/** Adds the gradients of the tokens of slot `slot` (its sub-words, without special tokens) to `sum`, [hidden]. */
export function addSlotGradient<T extends Float32Array | Float64Array>(
  sum: T,
  { tokens, values }: Pick<EmbeddingGradient, 'tokens' | 'values'>,
  draft: Draft,
  slot: number,
): T {
  const hidden = sum.length;
  const start = draft.startOf(slot);
  for (const row of tokensWithin(tokens, start, start + draft.word(slot).length)) {
    for (let k = 0; k < hidden; k++) sum[k]! += values[row * hidden + k]!;
  }
  return sum;
}
