/** @file GPT-NeoX (Black et al. 2022), and Pythia: attention and the feed-forward part read the same tokens, and a quarter of a head turns. */
import { splitHeads } from '../blocks/attention.js';
import { attendCausally } from '../blocks/causal.js';
import { lookUp } from '../blocks/embeddings.js';
import { decoderParts, vocabularyScores } from '../blocks/heads.js';
import { rotationOf } from '../blocks/rope-config.js';
import { type Rotation, readsLength, turn } from '../blocks/rotary.js';
import { ModelConfig } from '../config.js';
import type { Drawing } from '../drawing.js';
import { type Family, usualSizes } from '../family.js';

function sizes(config: ModelConfig) {
  return {
    ...config.heads(),
    inner: config.size('intermediate_size'),
    vocabulary: config.size('vocab_size'),
    epsilon: config.positive('layer_norm_eps'),
    layers: config.count('num_hidden_layers'),
  };
}

const rotationBy = (config: ModelConfig): Rotation =>
  rotationOf(config, { size: sizes(config).size, thetaKey: 'rotary_emb_base', share: 0.25, shareKey: 'rotary_pct' });

function layerOf(d: Drawing, x: string, layer: number): string {
  const { g, config } = d;
  const { width, heads, size, inner, epsilon } = sizes(config);
  const name = `gpt_neox.layers.${layer}`;
  const biased = { bias: config.flag('attention_bias') };
  const normed = (y: string, part: string) => d.norm(y, `${name}.${part}_layernorm`, width, epsilon);
  // Each head has its queries, keys and values side by side.
  const all = d.linear(normed(x, 'input'), `${name}.attention.query_key_value`, width, 3 * width, biased);
  const [query, key, value] = g.split(splitHeads(d, all, { heads, size: 3 * size }), [size, size, size], -1);
  const rotation = rotationBy(config);
  const mixed = attendCausally(d, {
    layer,
    query: turn(d, query, size, rotation),
    key: turn(d, key, size, rotation),
    value,
    heads,
    groups: heads,
    size,
  });
  const attended = d.linear(mixed, `${name}.attention.dense`, width, width, biased);
  const fed = (y: string): string => {
    const expanded = d.linear(normed(y, 'post_attention'), `${name}.mlp.dense_h_to_4h`, width, inner);
    return d.linear(d.activate(expanded, 'hidden_act'), `${name}.mlp.dense_4h_to_h`, inner, width);
  };
  if (config.flag('use_parallel_residual')) return g.add(g.add(fed(x), attended), x);
  const y = g.add(attended, x);
  return g.add(fed(y), y);
}

const defaults = {
  ...usualSizes(50_432, 6144, 24_576, 44, 64),
  hidden_act: 'gelu',
  max_position_embeddings: 2048,
  layer_norm_eps: 1e-5,
  tie_word_embeddings: false,
  use_parallel_residual: true,
  attention_bias: true,
} as const;

const table = 'gpt_neox.embed_in.weight';
const parts = decoderParts(({ config }) => sizes(config), table);

export const gptNeox: Family = {
  types: ['gpt_neox'],
  prefix: 'gpt_neox',
  defaults,
  readsPadding(json) {
    const config = new ModelConfig(json, 'config.json', defaults);
    return config.padding === undefined || readsLength(rotationBy(config));
  },
  unused: ['embed_out'],
  ...parts,
  past: (d) => (readsLength(rotationBy(d.config)) ? undefined : parts.past(d)),
  encode(d) {
    d.config.only('is_causal', true);
    const { width, vocabulary, layers, epsilon } = sizes(d.config);
    let x = lookUp(d, table, vocabulary, width, d.ids);
    for (let layer = 0; layer < layers; layer++) x = layerOf(d, x, layer);
    return d.norm(x, 'gpt_neox.final_layer_norm', width, epsilon);
  },
  causal(d, hidden) {
    const decoder = d.weights.has('embed_out.weight') ? 'embed_out.weight' : 'lm_head.weight';
    return vocabularyScores(d, hidden, { table, decoder }, sizes(d.config));
  },
};
