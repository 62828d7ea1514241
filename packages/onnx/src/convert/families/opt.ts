/** @file OPT (Zhang et al. 2022): learnt positions that begin at the third row, norms before or behind each part, and embeddings of a width of their own. */
import { DataType } from '../../graph/data-type.js';
import { splitHeads } from '../blocks/attention.js';
import { attendCausally } from '../blocks/causal.js';
import { lookUp, positionRows } from '../blocks/embeddings.js';
import { decoderParts } from '../blocks/heads.js';
import { ModelConfig } from '../config.js';
import type { Drawing } from '../drawing.js';
import type { Family } from '../family.js';

/** Rows of the table of positions before the first token's: its padding has the one before. */
const OFFSET = 2;
/** The reference leaves it to PyTorch. */
const EPSILON = 1e-5;

function sizes({ config }: Drawing) {
  const { width, heads, size } = config.heads();
  return {
    width,
    heads,
    size,
    inner: config.size('ffn_dim'),
    vocabulary: config.size('vocab_size'),
    words: config.has('word_embed_proj_dim') ? config.size('word_embed_proj_dim') : width,
    layers: config.count('num_hidden_layers'),
  };
}

/** A norm, whose weights the config may leave out. */
function norm(d: Drawing, x: string, name: string): string {
  const { width } = sizes(d);
  if (d.config.flag('layer_norm_elementwise_affine')) return d.norm(x, name, width, EPSILON);
  const ones = d.once('ones', () => d.g.initializer('ones', [width], new Float32Array(width).fill(1)));
  return d.g.op('LayerNormalization', [x, ones, d.zeros(width)], {
    axis: -1,
    epsilon: { kind: 'float', value: EPSILON },
  });
}

/** Positions of the tokens that are no padding, counted, [batch or 1, sequence, width]. */
function positions(d: Drawing): string {
  const { g, config } = d;
  const { width } = sizes(d);
  const name = 'model.decoder.embed_positions.weight';
  const rows = config.size('max_position_embeddings') + OFFSET;
  if (!d.padded) return positionRows(d, name, rows, width, OFFSET);
  const mask = g.cast(d.mask, DataType.int64);
  const counted = g.mul(g.op('CumSum', [mask, g.int(1)]), mask);
  return lookUp(d, name, rows, width, g.add(counted, g.int(OFFSET - 1)));
}

function layerOf(d: Drawing, x: string, layer: number): string {
  const { g, config } = d;
  const { width, heads, size, inner } = sizes(d);
  const name = `model.decoder.layers.${layer}`;
  const biased = { bias: config.flag('enable_bias') };
  const before = config.flag('do_layer_norm_before');
  /** A part of the layer, with its norm on one side. */
  const part = (y: string, called: string, compute: (z: string) => string): string => {
    const normed = (z: string) => norm(d, z, `${name}.${called}_layer_norm`);
    return before ? g.add(compute(normed(y)), y) : normed(g.add(compute(y), y));
  };
  const y = part(x, 'self_attn', (z) => {
    const one = (called: string) =>
      splitHeads(d, d.linear(z, `${name}.self_attn.${called}_proj`, width, width, biased), { heads, size });
    const mixed = attendCausally(d, {
      layer,
      query: one('q'),
      key: one('k'),
      value: one('v'),
      heads,
      groups: heads,
      size,
    });
    return d.linear(mixed, `${name}.self_attn.out_proj`, width, width, biased);
  });
  return part(y, 'final', (z) => {
    const expanded = d.activate(d.linear(z, `${name}.fc1`, width, inner, biased), 'activation_function');
    return d.linear(expanded, `${name}.fc2`, inner, width, biased);
  });
}

const table = 'model.decoder.embed_tokens.weight';

export const opt: Family = {
  types: ['opt'],
  prefix: 'model',
  defaults: {
    vocab_size: 50_272,
    hidden_size: 768,
    num_hidden_layers: 12,
    ffn_dim: 3072,
    max_position_embeddings: 2048,
    do_layer_norm_before: true,
    _remove_final_layer_norm: false,
    num_attention_heads: 12,
    activation_function: 'relu',
    pad_token_id: 1,
    enable_bias: true,
    layer_norm_elementwise_affine: true,
    tie_word_embeddings: true,
  },
  readsPadding: (json) => new ModelConfig(json, 'config.json', { pad_token_id: 1 }).padding === undefined,
  ...decoderParts((d) => ({ ...sizes(d), width: sizes(d).words }), table),
  encode(d) {
    const { g, config } = d;
    config.only('is_causal', true);
    const { width, words, vocabulary, layers } = sizes(d);
    const unbiased = { bias: false };
    const embedded = lookUp(d, table, vocabulary, words, d.ids);
    const wide = words === width ? embedded : d.linear(embedded, 'model.decoder.project_in', words, width, unbiased);
    let x = g.add(wide, positions(d));
    for (let layer = 0; layer < layers; layer++) x = layerOf(d, x, layer);
    const last = config.flag('do_layer_norm_before') && !config.flag('_remove_final_layer_norm');
    if (last) x = norm(d, x, 'model.decoder.final_layer_norm');
    return words === width ? x : d.linear(x, 'model.decoder.project_out', width, words, unbiased);
  },
};
