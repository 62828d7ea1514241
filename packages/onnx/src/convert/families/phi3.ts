/** @file Phi-3 (Abdin et al. 2024): queries, keys and values are one matrix, gate and input another; long texts turn at other rates. */
import { gatedDecoder } from '../blocks/gated-decoder.js';
import { rotationOf } from '../blocks/rope-config.js';

export const phi3 = gatedDecoder({
  types: ['phi3'],
  defaults: {
    vocab_size: 32_064,
    hidden_size: 3072,
    intermediate_size: 8192,
    num_hidden_layers: 32,
    num_attention_heads: 32,
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
