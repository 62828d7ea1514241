/**
 * @file Gemma (2024), Gemma 2, whose scores have limits, and the text part of Gemma 3, whose layers with a window have rates of their own.
 * Embeddings are scaled, and the weights of norms are stored less 1.
 */
import { activated } from '../blocks/activation.js';
import { gatedDecoder } from '../blocks/gated-decoder.js';
import { layerType, rotationOfType } from '../blocks/rope-config.js';
import type { Rotation } from '../blocks/rotary.js';
import type { ModelConfig } from '../config.js';
import type { Drawing } from '../drawing.js';
import { type Family, usualSizes } from '../family.js';

const defaults = {
  vocab_size: 256_000,
  head_dim: 256,
  max_position_embeddings: 8192,
  rms_norm_eps: 1e-6,
  pad_token_id: 0,
  tie_word_embeddings: true,
  attention_bias: false,
} as const;

const common = { lessOne: true, scaledEmbeddings: true } as const;

const TANH = 'gelu_pytorch_tanh';

/** The first checkpoints say "gelu" and mean the approximation by tanh. A second key may repeat the function. */
function firstAct(d: Drawing, x: string): string {
  const { config } = d;
  const legacy = config.raw('hidden_act') === 'gelu';
  config.only('hidden_activation', legacy ? TANH : config.text('hidden_act'));
  return legacy ? activated(d.g, x, TANH) : d.activate(x, 'hidden_act');
}

const gemma = gatedDecoder({
  ...common,
  types: ['gemma'],
  defaults: { ...defaults, ...usualSizes(256_000, 3072, 24_576, 28, 16), num_key_value_heads: 16, hidden_act: TANH },
  only: { use_bidirectional_attention: [false], layer_types: [] },
  act: firstAct,
});

const optional = (key: string) => (config: ModelConfig) => (config.has(key) ? config.positive(key) : undefined);

const second = {
  ...common,
  act: (d: Drawing, x: string) => d.activate(x, 'hidden_activation'),
  normedParts: true,
  divisor: (config: ModelConfig) => Math.sqrt(config.positive('query_pre_attn_scalar')),
  lastCap: optional('final_logit_softcapping'),
} as const;

const secondDefaults = {
  ...defaults,
  ...usualSizes(256_000, 2304, 9216, 26, 8),
  num_key_value_heads: 4,
  hidden_activation: TANH,
  query_pre_attn_scalar: 256,
  sliding_window: 4096,
} as const;

const gemma2 = gatedDecoder({
  ...second,
  types: ['gemma2'],
  defaults: { ...secondDefaults, final_logit_softcapping: 30, attn_logit_softcapping: 50 },
  only: { use_bidirectional_attention: [false] },
  // The default attention of transformers ignores this limit.
  cap: (config) =>
    config.raw('attn_implementation') === 'eager' ? optional('attn_logit_softcapping')(config) : undefined,
  sight(config, layer) {
    const type = layerType(config, layer, (at) => at % 2 === 0);
    return type === 'sliding_attention' ? { window: config.size('sliding_window') } : {};
  },
});

const thirdType = (config: ModelConfig, layer: number): string =>
  layerType(config, layer, (at) => (at + 1) % config.size('sliding_window_pattern') !== 0);

function thirdSight(config: ModelConfig, layer: number) {
  const both = config.flag('use_bidirectional_attention', false);
  if (thirdType(config, layer) === 'full_attention') return { both };
  const window = config.size('sliding_window');
  return { window: both ? Math.floor(window / 2) + 1 : window, both };
}

function thirdRotation(config: ModelConfig, layer: number, size: number): Rotation {
  config.only('original_max_position_embeddings');
  const type = thirdType(config, layer);
  return type === 'sliding_attention'
    ? rotationOfType(config, type, { size, thetaKey: 'rope_local_base_freq' })
    : rotationOfType(config, type, { size }, config.raw('rope_scaling'));
}

// Its config has a limit for the scores of attention, which its attention does not read.
const gemma3 = gatedDecoder({
  ...second,
  types: ['gemma3_text'],
  defaults: {
    ...secondDefaults,
    vocab_size: 262_208,
    max_position_embeddings: 131_072,
    sliding_window_pattern: 6,
    rope_theta: 1_000_000,
    rope_local_base_freq: 10_000,
    rope_scaling: null,
    attn_logit_softcapping: null,
    final_logit_softcapping: null,
  },
  normedQueries: true,
  sight: thirdSight,
  rotation: thirdRotation,
});

export const gemmas: readonly Family[] = [gemma, gemma2, gemma3];
