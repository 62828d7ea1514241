/** @file Attention rollout (Abnar and Zuidema, "Quantifying Attention Flow in Transformers", 2020, section 3, https://arxiv.org/abs/2005.00928). */
import type { Attention } from '../core/attention.js';
import { must } from '../core/errors.js';
import { tokensWithin } from '../core/word-tokens.js';
import type { WeightedWords } from './weighted.js';

/**
 * How much of each token reaches each position of the last layer, row-major [to, from]: the product over layers of (mean over heads +
 * identity) / 2, where the identity represents the residual connection. Rows sum to 1.
 */
export function rollout({ tokens: { length: n }, layers, heads, weights }: Attention): Float64Array {
  let flow = Float64Array.from({ length: n * n }, (_, at) => Number(at % (n + 1) === 0));
  for (let layer = 0; layer < layers; layer++) {
    const next = new Float64Array(n * n);
    for (let to = 0; to < n; to++) {
      for (let via = 0; via < n; via++) {
        let mean = 0;
        for (let head = 0; head < heads; head++) mean += must(weights[((layer * heads + head) * n + to) * n + via]);
        const share = (mean / heads + Number(to === via)) / 2;
        for (let from = 0; from < n; from++) next[to * n + from]! += share * must(flow[via * n + from]);
      }
    }
    flow = next;
  }
  return flow;
}

/**
 * Weight of each word: how much of it reaches the classifier's position, which is the first token if that is special ([CLS]), otherwise the
 * mean over all positions. Never negative: attention does not show which label a word supports. `rest`: punctuation and special tokens.
 */
export function attentionWeights(
  attention: Attention,
  words: readonly { readonly text: string; readonly start: number }[],
): WeightedWords {
  const { tokens, layers, heads } = attention;
  const n = tokens.length;
  const flow = rollout(attention);
  const first = tokens[0]?.special === true;
  const reach = (from: number): number => {
    if (first) return must(flow[from]);
    return Array.from({ length: n }, (_, to) => must(flow[to * n + from])).reduce((a, b) => a + b, 0) / n;
  };
  const weights = words.map(({ text, start }) => ({
    weight: tokensWithin(tokens, start, start + text.length).reduce((sum, row) => sum + reach(row), 0),
  }));
  const rest = 1 - weights.reduce((sum, { weight }) => sum + weight, 0);
  return { weights, check: { layers, heads, from: first ? 'first token' : 'all tokens', rest } };
}
