/** @file Llama (Touvron et al. 2023; Grattafiori et al. 2024) and Mistral (Jiang et al. 2023), which sees a window only. */
import { gatedDecoder } from '../blocks/gated-decoder.js';
import type { Family } from '../family.js';

const llama = gatedDecoder({
  types: ['llama'],
  defaults: {
    vocab_size: 32_000,
    hidden_size: 4096,
    intermediate_size: 11_008,
    num_hidden_layers: 32,
    num_attention_heads: 32,
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
    vocab_size: 32_000,
    hidden_size: 4096,
    intermediate_size: 14_336,
    num_hidden_layers: 32,
    num_attention_heads: 32,
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

export const llamas: readonly Family[] = [llama, mistral];
