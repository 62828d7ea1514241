/** @file RemBERT (Chung et al., ICLR 2021): narrow embeddings at the input, and wide ones of their own at the output. */
import { maskedHead } from '../blocks/heads.js';
import { BERT_LAYER, layerAfterAttention } from '../blocks/layer.js';
import type { Drawing } from '../drawing.js';
import type { Family } from '../family.js';
import { BERT_DEFAULTS, classifyPooled, embed, encoderOnly, selfAttention, sizes } from './bert.js';

function layer(d: Drawing, x: string, name: string): string {
  const mixed = selfAttention(d, x, `${name}.attention.self`);
  return layerAfterAttention(d, x, mixed, name, BERT_LAYER, sizes(d));
}

export const rembert: Family = {
  types: ['rembert'],
  prefix: 'rembert',
  defaults: {
    ...BERT_DEFAULTS,
    vocab_size: 250300,
    hidden_size: 1152,
    num_hidden_layers: 32,
    num_attention_heads: 18,
    intermediate_size: 4608,
    input_embedding_size: 256,
    output_embedding_size: 1664,
    tie_word_embeddings: false,
  },
  unused: ['rembert.pooler'],
  width: (d) => sizes(d).width,
  encode(d) {
    encoderOnly(d);
    const { width, layers } = sizes(d);
    const narrow = d.config.size('input_embedding_size');
    const embedded = embed(d, 'rembert.embeddings', { counted: false, typed: true }, narrow);
    let x = d.linear(embedded, 'rembert.encoder.embedding_hidden_mapping_in', narrow, width);
    for (let at = 0; at < layers; at++) x = layer(d, x, `rembert.encoder.layer.${at}`);
    return x;
  },
  classify: (d, hidden, labels) => classifyPooled(d, hidden, labels, 'rembert'),
  masked(d, hidden) {
    const { width, vocabulary, epsilon } = sizes(d);
    // The widths of the two tables differ.
    d.config.only('tie_word_embeddings', false);
    const parts = {
      dense: 'cls.predictions.dense',
      norm: 'cls.predictions.LayerNorm',
      act: (x: string) => d.activate(x, 'hidden_act'),
      table: 'rembert.embeddings.word_embeddings.weight',
      decoder: 'cls.predictions.decoder.weight',
      bias: 'cls.predictions.decoder.bias',
    };
    return maskedHead(d, hidden, parts, {
      width,
      vocabulary,
      epsilon,
      embedding: d.config.size('output_embedding_size'),
    });
  },
};
