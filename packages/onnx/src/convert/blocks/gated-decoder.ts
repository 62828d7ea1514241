/**
 * @file Decoders of Llama's build: norms before each part, rotary positions, queries that share keys, and a gated feed-forward part. What
 * one family has of its own is a fact in its file.
 */
import { ModelConfig } from '../config.js';
import type { Drawing } from '../drawing.js';
import type { Family } from '../family.js';
import { splitHeads } from './attention.js';
import { attendCausally, type Sight, softCap } from './causal.js';
import { lookUp } from './embeddings.js';
import { decoderParts } from './heads.js';
import { rmsNorm } from './rms-norm.js';
import { rotationOf } from './rope-config.js';
import { type Rotation, readsLength, turn } from './rotary.js';

export interface GatedDecoder {
  readonly types: readonly string[];
  readonly defaults: Readonly<Record<string, unknown>>;
  /** Keys that must be absent or have one of these values. */
  readonly only?: Readonly<Record<string, readonly (string | number | boolean)[]>>;
  /** Queries, keys and values have biases, whatever the config says of layers. */
  readonly biasedQueries?: true;
  /** The key of the feed-forward part's function, or what it computes. @default "hidden_act" */
  readonly act?: (d: Drawing, x: string) => string;
  /** The weights of norms are stored less 1. */
  readonly lessOne?: boolean;
  /** Queries and keys are normed, each head by itself. */
  readonly normedQueries?: boolean;
  /** Queries, keys and values are one matrix, and so are gate and input. */
  readonly fused?: boolean;
  /** Norms behind each part, too. */
  readonly normedParts?: boolean;
  /** Embeddings are multiplied by the square root of their width. */
  readonly scaledEmbeddings?: boolean;
  /** Divisor of the scores. @default the square root of a head's width */
  readonly divisor?: (config: ModelConfig) => number;
  /** Limits of the scores of attention and of the vocabulary. */
  readonly cap?: (config: ModelConfig) => number | undefined;
  readonly lastCap?: (config: ModelConfig) => number | undefined;
  /** The tokens that a layer sees. @default all before it */
  readonly sight?: (config: ModelConfig, layer: number) => Sight;
  /** @default the one that the config describes, of all layers */
  readonly rotation?: (config: ModelConfig, layer: number, size: number) => Rotation;
}

const rotationAt = ({ rotation }: GatedDecoder, config: ModelConfig, layer: number, size: number): Rotation =>
  rotation?.(config, layer, size) ?? rotationOf(config, { size });

function sizes(config: ModelConfig) {
  const width = config.size('hidden_size');
  const heads = config.count('num_attention_heads');
  const groups = config.has('num_key_value_heads') ? config.count('num_key_value_heads') : heads;
  if (heads % groups !== 0) throw config.refuse('num_key_value_heads', `a divisor of ${heads} heads`);
  if (!config.has('head_dim') && width % heads !== 0) {
    throw config.refuse('num_attention_heads', `a divisor of hidden_size ${width}`);
  }
  return {
    width,
    heads,
    groups,
    size: config.has('head_dim') ? config.size('head_dim') : width / heads,
    inner: config.size('intermediate_size'),
    vocabulary: config.size('vocab_size'),
    epsilon: config.positive('rms_norm_eps'),
    layers: config.count('num_hidden_layers'),
  };
}

function attention(d: Drawing, decoder: GatedDecoder, x: string, layer: number): string {
  const { config } = d;
  const { width, heads, groups, size } = sizes(config);
  const name = `model.layers.${layer}.self_attn`;
  const [q, k, v] = projected(d, decoder, x, name);
  const rotation = rotationAt(decoder, config, layer, size);
  const turned = (y: string, part: string, parts: number): string => {
    const split = splitHeads(d, y, { heads: parts, size });
    const normed = decoder.normedQueries ? norm(d, decoder, split, `${name}.${part}_norm`, size) : split;
    return turn(d, normed, size, rotation);
  };
  const mixed = attendCausally(d, {
    layer,
    query: turned(q, 'q', heads),
    key: turned(k, 'k', groups),
    value: splitHeads(d, v, { heads: groups, size }),
    heads,
    groups,
    size,
    divisor: decoder.divisor?.(config) ?? Math.sqrt(size),
    cap: decoder.cap?.(config),
    sight: decoder.sight?.(config, layer) ?? {},
  });
  return d.linear(mixed, `${name}.o_proj`, heads * size, width, { bias: config.flag('attention_bias', false) });
}

/** Queries, keys and values, [batch, sequence, heads * size] each. */
function projected(d: Drawing, decoder: GatedDecoder, x: string, name: string): readonly [string, string, string] {
  const { width, heads, groups, size } = sizes(d.config);
  const bias = decoder.biasedQueries ?? d.config.flag('attention_bias', false);
  const widths = [heads * size, groups * size, groups * size] as const;
  if (decoder.fused) {
    const all = d.linear(x, `${name}.qkv_proj`, width, widths[0] + widths[1] + widths[2], { bias });
    return d.g.split(all, widths, -1);
  }
  const one = (part: string, to: number) => d.linear(x, `${name}.${part}_proj`, width, to, { bias });
  return [one('q', widths[0]), one('k', widths[1]), one('v', widths[2])];
}

function feedForward(d: Drawing, decoder: GatedDecoder, x: string, name: string): string {
  const { g, config } = d;
  const { width, inner } = sizes(config);
  const bias = { bias: config.flag('mlp_bias', false) };
  const one = (part: string) => d.linear(x, `${name}.${part}_proj`, width, inner, bias);
  const [gate, input] = decoder.fused
    ? g.split(d.linear(x, `${name}.gate_up_proj`, width, 2 * inner, bias), [inner, inner], -1)
    : ([one('gate'), one('up')] as const);
  const act = decoder.act ?? ((at: Drawing, y: string) => at.activate(y, 'hidden_act'));
  return d.linear(g.mul(act(d, gate), input), `${name}.down_proj`, inner, width, bias);
}

const norm = (d: Drawing, { lessOne = false }: GatedDecoder, x: string, name: string, width: number): string =>
  rmsNorm(d, x, name, width, { epsilon: sizes(d.config).epsilon, lessOne });

function layerOf(d: Drawing, decoder: GatedDecoder, x: string, layer: number): string {
  const { g } = d;
  const { width } = sizes(d.config);
  const name = `model.layers.${layer}`;
  const normed = (y: string, part: string) => norm(d, decoder, y, `${name}.${part}_layernorm`, width);
  const attended = attention(d, decoder, normed(x, 'input'), layer);
  if (!decoder.normedParts) {
    const y = g.add(attended, x);
    return g.add(feedForward(d, decoder, normed(y, 'post_attention'), `${name}.mlp`), y);
  }
  const y = g.add(normed(attended, 'post_attention'), x);
  const fed = feedForward(d, decoder, normed(y, 'pre_feedforward'), `${name}.mlp`);
  return g.add(normed(fed, 'post_feedforward'), y);
}

/** The rotations and sights of all layers of a config. */
function layersOf(decoder: GatedDecoder, config: ModelConfig) {
  const { layers, size } = sizes(config);
  return Array.from({ length: layers }, (_, layer) => ({
    rotation: rotationAt(decoder, config, layer, size),
    sight: decoder.sight?.(config, layer) ?? {},
  }));
}

export function gatedDecoder(decoder: GatedDecoder): Family {
  const table = 'model.embed_tokens.weight';
  const parts = decoderParts(({ config }) => ({ ...sizes(config), heads: sizes(config).groups }), table);
  return {
    types: decoder.types,
    prefix: 'model',
    defaults: decoder.defaults,
    readsPadding: (json) => {
      const config = new ModelConfig(json, 'config.json', decoder.defaults);
      return config.padding === undefined || layersOf(decoder, config).some(({ rotation }) => readsLength(rotation));
    },
    ...parts,
    past(d) {
      const exact = layersOf(decoder, d.config).every(({ rotation, sight }) => !readsLength(rotation) && !sight.both);
      return exact ? parts.past(d) : undefined;
    },
    encode(d) {
      const { g, config } = d;
      config.only('is_causal', true);
      for (const [key, values] of Object.entries(decoder.only ?? {})) config.only(key, ...values);
      const { width, vocabulary, layers } = sizes(config);
      const words = lookUp(d, table, vocabulary, width, d.ids);
      let x = decoder.scaledEmbeddings ? g.mul(words, g.float(Math.sqrt(width))) : words;
      for (let layer = 0; layer < layers; layer++) x = layerOf(d, decoder, x, layer);
      return norm(d, decoder, x, 'model.norm', width);
    },
    causal(d, hidden) {
      const scores = parts.causal(d, hidden);
      const cap = decoder.lastCap?.(d.config);
      return cap === undefined ? scores : softCap(d, scores, cap);
    },
  };
}
