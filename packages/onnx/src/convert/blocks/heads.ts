/** @file The layers after the last: a classifier, or a language model's scores of all tokens. */
import { DataType } from '../../graph/data-type.js';
import type { Drawing } from '../drawing.js';
import type { PastShape } from '../past.js';
import { activated } from './activation.js';
import { places } from './attention.js';

/** The scores of the vocabulary by the table that looked the tokens up, or by a matrix of their own where the config unties them. */
export function vocabularyScores(
  d: Drawing,
  hidden: string,
  names: { readonly table: string; readonly decoder: string; readonly bias?: string | undefined },
  size: { readonly vocabulary: number; readonly width: number },
): string {
  const { g, config } = d;
  const { vocabulary, width } = size;
  const tied = config.flag('tie_word_embeddings', true);
  const rows = d.weight(tied ? names.table : names.decoder, [vocabulary, width]);
  // Tied weights are stored once or twice, as the same numbers.
  if (tied && d.weights.has(names.decoder)) d.weights.take(names.decoder, [vocabulary, width]);
  const scores = g.matmul(hidden, g.transpose(rows, [1, 0]));
  if (names.bias === undefined) return scores;
  // It belongs to the head and to its last layer, and is stored under either name; of two that differ the layer adds its own.
  const own = names.decoder.replace(/weight$/, 'bias');
  return g.add(scores, d.weight(d.weights.has(own) ? own : names.bias, [vocabulary]));
}

/** A layer of the head's own, its function, the labels: `dense` and `out_proj`. */
export function twoLayers(
  d: Drawing,
  x: string,
  name: string,
  { width, labels, act }: { readonly width: number; readonly labels: number; readonly act: (x: string) => string },
): string {
  const hidden = act(d.linear(x, `${name}.dense`, width, width, { head: true }));
  return d.linear(hidden, `${name}.out_proj`, width, labels, { head: true });
}

/** The token of each text at its place, [batch, width], of hidden states [batch, sequence, width] and places [batch, 1]. */
export function tokenAt(d: Drawing, hidden: string, place: string): string {
  const { g } = d;
  const chosen = g.cast(g.op('Equal', [places(d), place]), DataType.float); // [batch, sequence]
  // A product with one 1 and zeros, which every engine can differentiate.
  return g.squeeze(g.matmul(g.unsqueeze(chosen, [1]), hidden), [1]);
}

/** The last place of a text at which a condition [batch, sequence] holds, 0 where it never does; [batch, 1]. */
export function lastPlace(d: Drawing, condition: string): string {
  const { g } = d;
  const at = g.mul(g.cast(condition, DataType.int64), places(d));
  return g.reduce('ReduceMax', at, [1]);
}

/** The parts of a masked language model's head, by the names of their weights. */
export interface MaskedParts {
  readonly dense: string;
  readonly norm: string;
  readonly act: (x: string) => string;
  readonly table: string;
  readonly decoder: string;
  readonly bias: string;
}

/** A masked language model's head: a dense layer, its function, a norm, the scores of the vocabulary. */
export function maskedHead(
  d: Drawing,
  hidden: string,
  parts: MaskedParts,
  size: { readonly vocabulary: number; readonly width: number; readonly embedding?: number; readonly epsilon: number },
): string {
  const { vocabulary, width, embedding = width, epsilon } = size;
  const dense = parts.act(d.linear(hidden, parts.dense, width, embedding));
  const normed = d.norm(dense, parts.norm, embedding, epsilon);
  return vocabularyScores(d, normed, parts, { vocabulary, width: embedding });
}

/** The names of BERT's masked head, with the table of words of the model `prefix`. */
export const bertHead = (d: Drawing, prefix: string): MaskedParts => ({
  dense: 'cls.predictions.transform.dense',
  norm: 'cls.predictions.transform.LayerNorm',
  act: (x: string) => d.activate(x, 'hidden_act'),
  table: `${prefix}.embeddings.word_embeddings.weight`,
  decoder: 'cls.predictions.decoder.weight',
  bias: 'cls.predictions.bias',
});

/** The names of RoBERTa's, whose function is fixed. */
export const robertaHead = (d: Drawing, prefix: string): MaskedParts => ({
  dense: 'lm_head.dense',
  norm: 'lm_head.layer_norm',
  act: (x: string) => activated(d.g, x, 'gelu'),
  table: `${prefix}.embeddings.word_embeddings.weight`,
  decoder: 'lm_head.decoder.weight',
  bias: 'lm_head.bias',
});

/** Sizes of a decoder. */
export interface DecoderSizes {
  readonly width: number;
  readonly vocabulary: number;
  readonly layers: number;
  /** Heads of keys and values, and the width of one. */
  readonly heads: number;
  readonly size: number;
}

/** What decoders have in common: labels of the last token, words by the table that looks them up, and what is kept of earlier tokens. */
export function decoderParts(sizesOf: (d: Drawing) => DecoderSizes, table: string) {
  return {
    width: (d: Drawing) => sizesOf(d).width,
    past(d: Drawing): PastShape | undefined {
      const { layers, heads, size } = sizesOf(d);
      return { layers, heads, size };
    },
    classify: (d: Drawing, hidden: string, labels: number) => lastTokenScores(d, hidden, sizesOf(d).width, labels),
    causal: (d: Drawing, hidden: string) =>
      vocabularyScores(d, hidden, { table, decoder: 'lm_head.weight' }, sizesOf(d)),
  };
}

/** Logits of the last token that is not padding, with padding on either side: the classifier of a causal model. Without a padding token, of the last one. */
function lastTokenScores(d: Drawing, hidden: string, width: number, labels: number): string {
  const { g, config } = d;
  const { padding } = config;
  const last =
    padding === undefined
      ? g.at(hidden, 1, -1)
      : tokenAt(d, hidden, lastPlace(d, g.op('Not', [g.op('Equal', [d.ids, g.int(padding)])])));
  return d.linear(last, 'score', width, labels, { bias: false, head: true });
}
