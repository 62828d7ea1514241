/**
 * @file Llama (Touvron et al. 2023; Grattafiori et al. 2024); Mistral (Jiang et al. 2023), which sees a window only; Qwen 2 (Yang et al. 2024),
 * with biases of queries, keys and values, and Qwen 3 (2025), which norms queries and keys; Phi-3 (Abdin et al. 2024), whose queries, keys and
 * values are one matrix, gate and input another, and whose long texts turn at other rates.
 */
import { gatedDecoder } from '../blocks/gated-decoder.js';
import { layerType, rotationOf } from '../blocks/rope-config.js';
import type { ModelConfig } from '../config.js';
import { type Family, usualSizes } from '../family.js';

const llama = gatedDecoder({
  types: ['llama'],
  defaults: {
    ...usualSizes(32_000, 4096, 11_008, 32, 32),
    hidden_act: 'silu',
    max_position_embeddings: 2048,
    rms_norm_eps: 1e-6,
    tie_word_embeddings: false,
    attention_bias: false,
    mlp_bias: false,
  },
  only: { layer_types: [] },
});

const mistral = gatedDecoder({
  types: ['mistral'],
  defaults: {
    ...usualSizes(32_000, 4096, 14_336, 32, 32),
    num_key_value_heads: 8,
    hidden_act: 'silu',
    max_position_embeddings: 131_072,
    rms_norm_eps: 1e-6,
    tie_word_embeddings: false,
    sliding_window: 4096,
  },
  only: { attention_bias: [false], mlp_bias: [false], layer_types: [] },
  sight: (config) => ({ window: config.has('sliding_window') ? config.size('sliding_window') : undefined }),
});

const qwenDefaults = {
  ...usualSizes(151_936, 4096, 22_016, 32, 32),
  hidden_act: 'silu',
  max_position_embeddings: 32_768,
  rms_norm_eps: 1e-6,
  tie_word_embeddings: false,
  use_sliding_window: false,
  sliding_window: 4096,
  max_window_layers: 28,
} as const;

/** Null in the file means a head of keys for each head of queries; left out it is 32. */
const groups = { num_key_value_heads: 32 } as const;

function qwenSight(config: ModelConfig, layer: number) {
  const slides = config.flag('use_sliding_window') && config.has('sliding_window');
  const type = layerType(config, layer, (at) => slides && at >= config.integer('max_window_layers'));
  if (type === 'full_attention') return {};
  if (!slides) throw config.refuse('layer_types', 'full_attention for all layers, where use_sliding_window is off');
  return { window: config.size('sliding_window') };
}

const qwen2 = gatedDecoder({
  types: ['qwen2'],
  defaults: { ...qwenDefaults, ...groups },
  biasedQueries: true,
  sight: qwenSight,
});

const qwen3 = gatedDecoder({
  types: ['qwen3'],
  defaults: { ...qwenDefaults, ...groups, head_dim: 128, attention_bias: false },
  normedQueries: true,
  sight: qwenSight,
});

export const phi3 = gatedDecoder({
  types: ['phi3'],
  defaults: {
    ...usualSizes(32_064, 3072, 8192, 32, 32),
    hidden_act: 'silu',
    max_position_embeddings: 4096,
    original_max_position_embeddings: 4096,
    rms_norm_eps: 1e-5,
    tie_word_embeddings: false,
    pad_token_id: 32_000,
  },
  only: { layer_types: [], attention_bias: [false] },
  fused: true,
  sight: (config) => ({ window: config.has('sliding_window') ? config.size('sliding_window') : undefined }),
  rotation: (config, _, size) =>
    rotationOf(config, {
      size,
      share: 1,
      // Its first checkpoints call LongRoPE so.
      names: { default: 'default', longrope: 'longrope', su: 'longrope', yarn: 'longrope' },
    }),
});

export const llamas: readonly Family[] = [llama, mistral];
export const qwens: readonly Family[] = [qwen2, qwen3];
