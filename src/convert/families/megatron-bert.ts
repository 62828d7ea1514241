/** @file Megatron-BERT (Shoeybi et al. 2019): BERT with norms before each part and one behind the last layer, none on the embeddings. */
import { bertHead, maskedHead } from '../blocks/heads.js';
import type { Drawing } from '../drawing.js';
import type { Family } from '../family.js';
import { BERT_DEFAULTS, classifyPooled, embed, encoderOnly, maskedSizes, selfAttention, sizes } from './bert.js';

function layer(d: Drawing, x: string, name: string): string {
  const { g } = d;
  const { width, feedForward, epsilon } = sizes(d);
  const mixed = selfAttention(d, d.norm(x, `${name}.attention.ln`, width, epsilon), `${name}.attention.self`);
  const y = g.add(d.linear(mixed, `${name}.attention.output.dense`, width, width), x);
  const normed = d.norm(y, `${name}.ln`, width, epsilon);
  const expanded = d.activate(d.linear(normed, `${name}.intermediate.dense`, width, feedForward), 'hidden_act');
  return g.add(d.linear(expanded, `${name}.output.dense`, feedForward, width), y);
}

export const megatronBert: Family = {
  types: ['megatron-bert'],
  tokenizer: 'bert',
  prefix: 'bert',
  defaults: {
    ...BERT_DEFAULTS,
    vocab_size: 29056,
    hidden_size: 1024,
    num_hidden_layers: 24,
    num_attention_heads: 16,
    intermediate_size: 4096,
  },
  unused: ['bert.pooler'],
  width: (d) => sizes(d).width,
  encode(d) {
    encoderOnly(d);
    const { width, layers, epsilon } = sizes(d);
    d.config.only('embedding_size', width);
    let x = embed(d, 'bert.embeddings', { counted: false, typed: true, normed: false }, width);
    for (let at = 0; at < layers; at++) x = layer(d, x, `bert.encoder.layer.${at}`);
    return d.norm(x, 'bert.encoder.ln', width, epsilon);
  },
  classify: (d, hidden, labels) => classifyPooled(d, hidden, labels, 'bert'),
  masked: (d, hidden) => maskedHead(d, hidden, bertHead(d, 'bert'), maskedSizes(d)),
};
