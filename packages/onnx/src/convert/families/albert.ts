/** @file ALBERT (Lan et al., ICLR 2020): narrow embeddings, and layers that share their weights in groups. */
import { bertHead } from '../blocks/heads.js';
import { layerAfterAttention } from '../blocks/layer.js';
import type { Drawing } from '../drawing.js';
import { usualSizes } from '../family.js';
import { BERT_DEFAULTS, bertLike, classifyPooledAs, selfAttention, sizes } from './bert.js';

const LAYER = {
  output: 'attention.dense',
  outputNorm: 'attention.LayerNorm',
  expand: 'ffn',
  contract: 'ffn_output',
  norm: 'full_layer_layer_norm',
} as const;

/** Layer `at`: the parts of its group, one after the other. */
function layer(d: Drawing, start: string, _: string, at: number): string {
  const { config } = d;
  const { layers } = sizes(d);
  const groups = config.count('num_hidden_groups');
  if (groups > layers) throw config.refuse('num_hidden_groups', `at most num_hidden_layers ${layers}`);
  const group = Math.floor(at / (layers / groups));
  let x = start;
  for (let part = 0; part < config.count('inner_group_num'); part++) {
    const name = `albert.encoder.albert_layer_groups.${group}.albert_layers.${part}`;
    const mixed = selfAttention(d, x, `${name}.attention`, { unscaledTerms: true });
    x = layerAfterAttention(d, x, mixed, name, LAYER, sizes(d));
  }
  return x;
}

export const albert = bertLike({
  types: ['albert'],
  prefix: 'albert',
  defaults: {
    ...BERT_DEFAULTS,
    ...usualSizes(30000, 4096, 16384, 12, 64),
    embedding_size: 128,
    hidden_act: 'gelu_new',
    num_hidden_groups: 1,
    inner_group_num: 1,
  },
  mapping: 'encoder.embedding_hidden_mapping_in',
  layer,
  head: (d, hidden, labels, prefix) => classifyPooledAs(d, hidden, labels, `${prefix}.pooler`, sizes(d).width),
  scores: (d, prefix) => ({
    ...bertHead(d, prefix),
    dense: 'predictions.dense',
    norm: 'predictions.LayerNorm',
    decoder: 'predictions.decoder.weight',
    bias: 'predictions.bias',
  }),
});
