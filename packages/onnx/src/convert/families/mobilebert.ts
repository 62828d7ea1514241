/** @file MobileBERT (Sun et al., ACL 2020): narrow layers between bottlenecks, several feed-forward parts each, norms without statistics. */
import { attend, paddingBias } from '../blocks/attention.js';
import { lookUp, positionRows, typeRows } from '../blocks/embeddings.js';
import type { Drawing } from '../drawing.js';
import { type Family, firstToken } from '../family.js';
import { BERT_DEFAULTS, bertLike, sizes as bertSizes, classifyPooled } from './bert.js';

/** PyTorch's own, of the norms that the modelling code makes without one. */
const EPSILON = 1e-5;

function sizes(d: Drawing) {
  const { config } = d;
  const bottleneck = config.flag('use_bottleneck');
  const { width, heads, ...rest } = bertSizes(d);
  const inner = bottleneck ? config.size('intra_bottleneck_size') : width;
  if (inner % heads !== 0) throw config.refuse('num_attention_heads', `a divisor of ${inner}, the width of its layers`);
  return { ...rest, width, heads, inner, bottleneck, head: inner / heads };
}

/** A norm, or as `no_norm` a scale and a bias. */
function norm(d: Drawing, x: string, name: string, width: number, epsilon: number): string {
  const { g, config } = d;
  if (config.choice('normalization_type', ['no_norm', 'layer_norm']) === 'layer_norm')
    return d.norm(x, name, width, epsilon);
  const scaled = g.mul(x, d.weight(`${name}.weight`, [width]));
  return g.add(scaled, d.weight(`${name}.bias`, [width]));
}

/** A layer, what goes around it, a norm. */
function addResidual(
  d: Drawing,
  x: string,
  around: string,
  name: string,
  from: number,
  to: number,
  epsilon: number,
): string {
  return norm(d, d.g.add(d.linear(x, `${name}.dense`, from, to), around), `${name}.LayerNorm`, to, epsilon);
}

/** Queries, keys, values and what goes around the attention. */
function attentionInputs(d: Drawing, x: string, name: string): { queryKey: string; values: string; around: string } {
  const { config } = d;
  const { width, inner, bottleneck, epsilon } = sizes(d);
  if (!bottleneck) return { queryKey: x, values: x, around: x };
  const narrow = (role: string) => {
    const dense = d.linear(x, `${name}.bottleneck.${role}.dense`, width, inner);
    return norm(d, dense, `${name}.bottleneck.${role}.LayerNorm`, inner, epsilon);
  };
  const input = narrow('input');
  const shared = config.flag('key_query_shared_bottleneck');
  const all = config.flag('use_bottleneck_attention');
  const attention = shared ? narrow('attention') : x;
  if (all) return { queryKey: input, values: input, around: input };
  if (!shared && inner !== width) throw config.refuse('key_query_shared_bottleneck', 'true with these widths');
  return { queryKey: attention, values: x, around: input };
}

function layer(d: Drawing, x: string, name: string): string {
  const { width, inner, heads, head, feedForward, bottleneck, epsilon } = sizes(d);
  const { queryKey: asked, values, around } = attentionInputs(d, x, name);
  const self = `${name}.attention.self`;
  const all = d.config.flag('use_bottleneck_attention');
  const mixed = attend(d, {
    query: d.linear(asked, `${self}.query`, inner, inner),
    key: d.linear(asked, `${self}.key`, inner, inner),
    value: d.linear(values, `${self}.value`, all ? inner : width, inner),
    heads,
    size: head,
    bias: paddingBias(d),
  });
  const expand = (y: string, part: string) =>
    d.activate(d.linear(y, `${part}.intermediate.dense`, inner, feedForward), 'hidden_act');
  let y = addResidual(d, mixed, around, `${name}.attention.output`, inner, inner, epsilon);
  for (let at = 0; at < d.config.count('num_feedforward_networks') - 1; at++) {
    y = addResidual(d, expand(y, `${name}.ffn.${at}`), y, `${name}.ffn.${at}.output`, feedForward, inner, epsilon);
  }
  const out = addResidual(d, expand(y, name), y, `${name}.output`, feedForward, inner, EPSILON);
  return bottleneck ? addResidual(d, out, x, `${name}.output.bottleneck`, inner, width, epsilon) : out;
}

function embed(d: Drawing): string {
  const { g, config } = d;
  const { width, embedding, vocabulary, positions, types } = sizes(d);
  const name = 'mobilebert.embeddings';
  let x = lookUp(d, `${name}.word_embeddings.weight`, vocabulary, embedding, d.ids);
  const trigram = config.flag('trigram_input');
  if (trigram) {
    // Each token beside the next and the one before; zeros beyond the ends.
    const padded = g.op('Pad', [x, g.ints([0, 1, 0, 0, 1, 0])]);
    const next = g.slice(padded, 1, 2);
    const before = g.slice(padded, 1, 0, -2);
    x = g.concat([next, x, before], 2);
  }
  const wide = trigram ? 3 * embedding : embedding;
  if (trigram || embedding !== width) x = d.linear(x, `${name}.embedding_transformation`, wide, width);
  const placed = g.add(x, positionRows(d, `${name}.position_embeddings.weight`, positions, width));
  const typed = typeRows(d, `${name}.token_type_embeddings.weight`, types, width, true);
  return norm(d, g.add(placed, typed), `${name}.LayerNorm`, width, EPSILON);
}

export const mobilebert: Family = {
  ...bertLike({
    types: ['mobilebert'],
    tokenizer: 'bert',
    // Its trigrams reach into padding.
    readsPadding: ({ trigram_input }) => trigram_input !== false,
    prefix: 'mobilebert',
    defaults: {
      ...BERT_DEFAULTS,
      hidden_size: 512,
      num_hidden_layers: 24,
      num_attention_heads: 4,
      intermediate_size: 512,
      hidden_act: 'relu',
      embedding_size: 128,
      trigram_input: true,
      use_bottleneck: true,
      intra_bottleneck_size: 128,
      use_bottleneck_attention: false,
      key_query_shared_bottleneck: true,
      num_feedforward_networks: 4,
      normalization_type: 'no_norm',
      classifier_activation: true,
    },
    unused: ['mobilebert.pooler', 'mobilebert.embeddings.embedding_transformation'],
    embed,
    layer,
    head(d, hidden, labels) {
      if (d.config.flag('classifier_activation')) return classifyPooled(d, hidden, labels, 'mobilebert');
      return d.linear(firstToken(d, hidden), 'classifier', sizes(d).width, labels, { head: true });
    },
  }),
  masked(d, hidden) {
    const { g } = d;
    const { width, embedding, vocabulary, epsilon } = sizes(d);
    const head = 'cls.predictions';
    const dense = d.activate(d.linear(hidden, `${head}.transform.dense`, width, width), 'hidden_act');
    const normed = d.norm(dense, `${head}.transform.LayerNorm`, width, epsilon);
    // The table of words answers for its own width, a matrix of the head's for the rest.
    const tied = d.config.flag('tie_word_embeddings', true);
    const words = tied ? 'mobilebert.embeddings.word_embeddings.weight' : `${head}.decoder.weight`;
    if (tied && d.weights.has(`${head}.decoder.weight`))
      d.weights.take(`${head}.decoder.weight`, [vocabulary, embedding]);
    const table = g.transpose(d.weight(words, [vocabulary, embedding]), [1, 0]);
    const all =
      width === embedding
        ? table
        : g.concat([table, d.weight(`${head}.dense.weight`, [width - embedding, vocabulary])], 0);
    const bias = d.weights.has(`${head}.decoder.bias`) ? `${head}.decoder.bias` : `${head}.bias`;
    return g.add(g.matmul(normed, all), d.weight(bias, [vocabulary]));
  },
};
