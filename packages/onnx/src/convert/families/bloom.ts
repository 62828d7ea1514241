/** @file BLOOM (Le Scao et al. 2022): no positions but a bias that grows with them, steeper in some heads (ALiBi, Press et al. 2022). */
import { DataType } from '../../graph/data-type.js';
import { activated } from '../blocks/activation.js';
import { allPlaces, splitHeads } from '../blocks/attention.js';
import { attendCausally } from '../blocks/causal.js';
import { lookUp } from '../blocks/embeddings.js';
import { decoderParts } from '../blocks/heads.js';
import { ModelConfig } from '../config.js';
import type { Drawing } from '../drawing.js';
import type { Family } from '../family.js';

/** The number of layers or heads, by either of its names. */
function count(config: ModelConfig, key: string, other: string): number {
  if (!config.keys().includes(other) || !config.has(other)) return config.count(key);
  if (config.keys().includes(key)) config.only(key, config.count(other));
  return config.count(other);
}

function sizes({ config }: Drawing) {
  const width = config.has('n_embed') ? config.size('n_embed') : config.size('hidden_size');
  const heads = count(config, 'n_head', 'num_attention_heads');
  if (width % heads !== 0) throw config.refuse('n_head', `a divisor of hidden_size ${width}`);
  return {
    width,
    heads,
    size: width / heads,
    vocabulary: config.size('vocab_size'),
    epsilon: config.positive('layer_norm_epsilon'),
    layers: count(config, 'n_layer', 'num_hidden_layers'),
  };
}

/** The slopes of heads: powers of one base, and of its root where their number is no power of two. */
function slopes(heads: number): number[] {
  const near = 2 ** Math.floor(Math.log2(heads));
  const base = (of: number) => Math.fround(2 ** -(2 ** -(Math.log2(of) - 3)));
  const first = Array.from({ length: near }, (_, i) => Math.fround(base(near) ** (i + 1)));
  const others = Array.from({ length: heads - near }, (_, i) => Math.fround(base(2 * near) ** (2 * i + 1)));
  return [...first, ...others];
}

/** Slope times the place of the token that is seen, [batch or 1, heads, 1, all]. */
function alibi(d: Drawing): string {
  return d.once('alibi', () => {
    const { g } = d;
    const { heads } = sizes(d);
    const slope = g.reshape(g.vector(slopes(heads)), [1, heads, 1, 1]);
    if (!d.padded) return g.mul(slope, g.cast(allPlaces(d), DataType.float));
    const mask = g.cast(d.mask, DataType.int64);
    const counted = g.mul(g.sub(g.op('CumSum', [mask, g.int(1)]), g.int(1)), mask);
    return g.mul(slope, g.unsqueeze(g.cast(counted, DataType.float), [1, 2]));
  });
}

function layerOf(d: Drawing, x: string, layer: number): string {
  const { g, config } = d;
  const { width, heads, size, epsilon } = sizes(d);
  const name = `transformer.h.${layer}`;
  const normedResidual = config.flag('apply_residual_connection_post_layernorm');
  const normed = (y: string, part: string) => d.norm(y, `${name}.${part}_layernorm`, width, epsilon);
  const first = normed(x, 'input');
  // Each head has its queries, keys and values side by side.
  const all = d.linear(first, `${name}.self_attention.query_key_value`, width, 3 * width);
  const [query, key, value] = g.split(splitHeads(d, all, { heads, size: 3 * size }), [size, size, size], -1);
  const mixed = attendCausally(d, { layer, query, key, value, heads, groups: heads, size, bias: alibi(d) });
  const y = g.add(d.linear(mixed, `${name}.self_attention.dense`, width, width), normedResidual ? first : x);
  const second = normed(y, 'post_attention');
  const expanded = activated(g, d.linear(second, `${name}.mlp.dense_h_to_4h`, width, 4 * width), 'gelu_pytorch_tanh');
  return g.add(d.linear(expanded, `${name}.mlp.dense_4h_to_h`, 4 * width, width), normedResidual ? second : y);
}

const table = 'transformer.word_embeddings.weight';

export const bloom: Family = {
  types: ['bloom'],
  prefix: 'transformer',
  defaults: {
    vocab_size: 250_880,
    hidden_size: 64,
    n_layer: 2,
    n_head: 8,
    layer_norm_epsilon: 1e-5,
    apply_residual_connection_post_layernorm: false,
    tie_word_embeddings: true,
  },
  readsPadding: (json) => new ModelConfig(json, 'config.json').padding === undefined,
  ...decoderParts(sizes, table),
  encode(d) {
    d.config.only('is_causal', true);
    const { width, vocabulary, epsilon, layers } = sizes(d);
    const words = lookUp(d, table, vocabulary, width, d.ids);
    let x = d.norm(words, 'transformer.word_embeddings_layernorm', width, epsilon);
    for (let layer = 0; layer < layers; layer++) x = layerOf(d, x, layer);
    return d.norm(x, 'transformer.ln_f', width, epsilon);
  },
};
