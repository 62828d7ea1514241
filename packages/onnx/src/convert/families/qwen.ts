/** @file Qwen 2 (Yang et al. 2024), with biases of queries, keys and values, and Qwen 3 (2025), which norms queries and keys. */
import { gatedDecoder } from '../blocks/gated-decoder.js';
import { layerType } from '../blocks/rope-config.js';
import type { ModelConfig } from '../config.js';
import type { Family } from '../family.js';

const defaults = {
  vocab_size: 151_936,
  hidden_size: 4096,
  intermediate_size: 22_016,
  num_hidden_layers: 32,
  num_attention_heads: 32,
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

function sight(config: ModelConfig, layer: number) {
  const slides = config.flag('use_sliding_window') && config.has('sliding_window');
  const type = layerType(config, layer, (at) => slides && at >= config.integer('max_window_layers'));
  if (type === 'full_attention') return {};
  if (!slides) throw config.refuse('layer_types', 'full_attention for all layers, where use_sliding_window is off');
  return { window: config.size('sliding_window') };
}

const qwen2 = gatedDecoder({ types: ['qwen2'], defaults: { ...defaults, ...groups }, biasedQueries: true, sight });

const qwen3 = gatedDecoder({
  types: ['qwen3'],
  defaults: { ...defaults, ...groups, head_dim: 128, attention_bias: false },
  normedQueries: true,
  sight,
});

export const qwens: readonly Family[] = [qwen2, qwen3];
