/** @file ALBERT (Lan et al., ICLR 2020): narrow embeddings, and layers that share their weights in groups. */
import { activated } from '../blocks/activation.js';
import { bertHead, maskedHead } from '../blocks/heads.js';
import { layerAfterAttention } from '../blocks/layer.js';
import type { Drawing } from '../drawing.js';
import { type Family, firstToken } from '../family.js';
import { BERT_DEFAULTS, embed, encoderOnly, selfAttention, sizes } from './bert.js';

const LAYER = {
  output: 'attention.dense',
  outputNorm: 'attention.LayerNorm',
  expand: 'ffn',
  contract: 'ffn_output',
  norm: 'full_layer_layer_norm',
} as const;

function layer(d: Drawing, x: string, name: string): string {
  const mixed = selfAttention(d, x, `${name}.attention`, { unscaledTerms: true });
  return layerAfterAttention(d, x, mixed, name, LAYER, sizes(d));
}

export const albert: Family = {
  types: ['albert'],
  prefix: 'albert',
  defaults: {
    ...BERT_DEFAULTS,
    vocab_size: 30000,
    embedding_size: 128,
    hidden_size: 4096,
    num_attention_heads: 64,
    intermediate_size: 16384,
    hidden_act: 'gelu_new',
    num_hidden_groups: 1,
    inner_group_num: 1,
  },
  unused: ['albert.pooler'],
  width: (d) => sizes(d).width,
  encode(d) {
    encoderOnly(d);
    const { config } = d;
    const { width, layers, embedding } = sizes(d);
    const groups = config.count('num_hidden_groups');
    const inner = config.count('inner_group_num');
    if (groups > layers) throw config.refuse('num_hidden_groups', `at most num_hidden_layers ${layers}`);
    const embedded = embed(d, 'albert.embeddings', { counted: false, typed: true }, embedding);
    let x = d.linear(embedded, 'albert.encoder.embedding_hidden_mapping_in', embedding, width);
    for (let at = 0; at < layers; at++) {
      const group = Math.floor(at / (layers / groups));
      for (let part = 0; part < inner; part++) {
        x = layer(d, x, `albert.encoder.albert_layer_groups.${group}.albert_layers.${part}`);
      }
    }
    return x;
  },
  classify(d, hidden, labels) {
    const { width } = sizes(d);
    const pooled = d.linear(firstToken(d, hidden), 'albert.pooler', width, width, { head: true });
    return d.linear(activated(d.g, pooled, 'tanh'), 'classifier', width, labels, { head: true });
  },
  masked(d, hidden) {
    const parts = {
      ...bertHead(d, 'albert'),
      dense: 'predictions.dense',
      norm: 'predictions.LayerNorm',
      decoder: 'predictions.decoder.weight',
      bias: 'predictions.bias',
    };
    return maskedHead(d, hidden, parts, sizes(d));
  },
};
