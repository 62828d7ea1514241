/** @file DistilBERT (Sanh et al. 2019): BERT's layers without token types and pooler. */
import { activated } from '../blocks/activation.js';
import { attend, paddingBias } from '../blocks/attention.js';
import { lookUp, positionRows } from '../blocks/embeddings.js';
import { maskedHead } from '../blocks/heads.js';
import { layerAfterAttention } from '../blocks/layer.js';
import type { Drawing } from '../drawing.js';
import { type Family, firstToken } from '../family.js';

/** Fixed in the modelling code. */
const EPSILON = 1e-12;

function sizes({ config }: Drawing) {
  return { ...config.heads('dim', 'n_heads'), vocabulary: config.size('vocab_size') };
}

const LAYER = {
  output: 'attention.out_lin',
  outputNorm: 'sa_layer_norm',
  expand: 'ffn.lin1',
  contract: 'ffn.lin2',
  norm: 'output_layer_norm',
} as const;

function layer(d: Drawing, x: string, name: string): string {
  const { width, heads, size } = sizes(d);
  const part = (role: string) => d.linear(x, `${name}.attention.${role}_lin`, width, width);
  const mixed = attend(d, { query: part('q'), key: part('k'), value: part('v'), heads, size, bias: paddingBias(d) });
  const sized = { width, feedForward: d.config.size('hidden_dim'), epsilon: EPSILON };
  return layerAfterAttention(d, x, mixed, name, LAYER, sized, 'activation');
}

export const distilbert: Family = {
  types: ['distilbert'],
  tokenizer: 'bert',
  prefix: 'distilbert',
  defaults: {
    vocab_size: 30522,
    max_position_embeddings: 512,
    n_layers: 6,
    n_heads: 12,
    dim: 768,
    hidden_dim: 3072,
    activation: 'gelu',
  },
  width: (d) => sizes(d).width,
  encode(d) {
    const { g, config } = d;
    const { width, vocabulary } = sizes(d);
    config.only('pruned_heads');
    const name = 'distilbert.embeddings';
    const words = lookUp(d, `${name}.word_embeddings.weight`, vocabulary, width, d.ids);
    // Sinusoids are stored as a table too.
    const rows = positionRows(d, `${name}.position_embeddings.weight`, config.size('max_position_embeddings'), width);
    let x = d.norm(g.add(words, rows), `${name}.LayerNorm`, width, EPSILON);
    for (let at = 0; at < config.count('n_layers'); at++) x = layer(d, x, `distilbert.transformer.layer.${at}`);
    return x;
  },
  classify(d, hidden, labels) {
    const { width } = sizes(d);
    const dense = d.linear(firstToken(d, hidden), 'pre_classifier', width, width, { head: true });
    return d.linear(activated(d.g, dense, 'relu'), 'classifier', width, labels, { head: true });
  },
  masked(d, hidden) {
    const parts = {
      dense: 'vocab_transform',
      norm: 'vocab_layer_norm',
      act: (x: string) => d.activate(x, 'activation'),
      table: 'distilbert.embeddings.word_embeddings.weight',
      decoder: 'vocab_projector.weight',
      bias: 'vocab_projector.bias',
    };
    return maskedHead(d, hidden, parts, { ...sizes(d), epsilon: EPSILON });
  },
};
