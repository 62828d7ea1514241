/**
 * @file Longformer (Beltagy et al. 2020): RoBERTa in which each token sees those within a window, and the first token, which sees all
 * with projections of its own. Drawn over all pairs of tokens, those out of sight masked: the same answers, with a cost that grows as
 * the square of the length.
 */
import { attend, LOWEST, paddingBias, places, present } from '../blocks/attention.js';
import type { Drawing } from '../drawing.js';
import { BERT_DEFAULTS, bertLike, classifyFirst, sizes } from './bert.js';

/** How far a token of the layer sees to each side. */
function reach({ config }: Drawing, at: number): number {
  const given = config.raw('attention_window');
  const window = Array.isArray(given) ? given[at] : given;
  if (Number.isInteger(window) && window > 0 && window % 2 === 0) return window / 2;
  throw config.refuse('attention_window', 'an even number above 0 for each layer');
}

/** 0 for the tokens within sight and for the first, the lowest number for others and padding, [batch, 1, sequence, sequence]. */
function windowBias(d: Drawing, side: number): string {
  return d.once(`window ${side}`, () => {
    const { g } = d;
    const at = places(d);
    const distance = g.op('Abs', [g.sub(at, g.unsqueeze(at, [1]))]); // [sequence, sequence]
    const near = g.op('LessOrEqual', [distance, g.int(side)]);
    const seen = g.op('Or', [near, g.op('Equal', [at, g.int(0)])]);
    return g.where(g.op('And', [present(d), seen]), g.float(0), g.float(LOWEST));
  });
}

/** The first token's row is what it takes from all tokens; the others' what they take from those in sight. */
function attention(d: Drawing, x: string, name: string, at: number): string {
  const { g } = d;
  const { width, heads, size } = sizes(d);
  const part = (of: string, role: string) => d.linear(of, `${name}.${role}`, width, width);
  const own = { query: part(x, 'query'), key: part(x, 'key'), value: part(x, 'value') };
  const local = attend(d, { ...own, heads, size, bias: windowBias(d, reach(d, at)) });
  const first = g.slice(x, 1, 0, 1); // [batch, 1, width]
  const global = attend(d, {
    query: part(first, 'query_global'),
    key: part(x, 'key_global'),
    value: part(x, 'value_global'),
    heads,
    size,
    bias: paddingBias(d),
  });
  const rest = g.slice(local, 1, 1);
  return g.concat([global, rest], 1);
}

/** Only classifiers let the first token see all: its language model is drawn by none. */
export const longformer = bertLike({
  types: ['longformer'],
  tokenizer: 'roberta',
  prefix: 'longformer',
  defaults: { ...BERT_DEFAULTS, pad_token_id: 1, attention_window: 512 },
  fairseq: true,
  attention,
  // Its encoder is drawn with the global attention of the first token, which taggers lack.
  tagless: true,
  head: classifyFirst,
});
