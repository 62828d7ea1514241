/**
 * @file Data of an interactive attention view, similar to exBERT (Hoover, Strobelt and Gehrmann 2020, https://arxiv.org/abs/1910.05276).
 */
import { tokensWithin } from '../core/word-tokens.js';
import type { AttentionView } from '../results/report/explanation.js';
import { fullCoalition } from './game.js';
import type { MaskedText } from './masked-text.js';
import type { ExplainedText } from './methods.js';

/** Longer texts have no view: 4 layers of 4 heads would make the page megabytes large and unreadable. */
const MAX_TOKENS = 96;

/** Attention of every layer and head, and the predictions without each word. Undefined for texts of more than 96 tokens. */
export async function attentionView(model: ExplainedText, masked: MaskedText): Promise<AttentionView | undefined> {
  const { text, words } = masked;
  if (model.attention === undefined) return undefined;
  const { tokens, layers, heads, weights } = await model.attention.attention(text);
  const n = tokens.length;
  if (n > MAX_TOKENS) return undefined;
  const slots = new Array<number | null>(n).fill(null);
  words.forEach((word, slot) => {
    for (const row of tokensWithin(tokens, word.start, word.start + word.text.length)) slots[row] = slot;
  });
  const without = await model.classifier.classify(
    words.map((_, slot) => {
      const kept = fullCoalition(words.length);
      kept[slot] = 0;
      return masked.keep(kept);
    }),
  );
  const thousandths = (at: number): number => Math.round(1000 * weights[at]!);
  const range = <T>(length: number, of: (at: number) => T): T[] => Array.from({ length }, (_, at) => of(at));
  return {
    tokens: tokens.map(({ start, end, special }, at) => ({
      text: special ? '' : text.slice(start, end),
      special,
      slot: slots[at] ?? null,
    })),
    layers,
    heads,
    weights: range(layers, (layer) =>
      range(heads, (head) =>
        range(n, (to) => range(n, (from) => thousandths(((layer * heads + head) * n + to) * n + from))),
      ),
    ),
    without: without.map((row) => Array.from(row)),
  };
}
