/** @file Megatron-BERT (Shoeybi et al. 2019): BERT with norms before each part and one behind the last layer, none on the embeddings. */
import { bertHead } from '../blocks/heads.js';
import type { Drawing } from '../drawing.js';
import { BERT_DEFAULTS, bertLike, classifyPooled, selfAttention, sizes } from './bert.js';

function layer(d: Drawing, x: string, name: string): string {
  const { g } = d;
  const { width, feedForward, epsilon } = sizes(d);
  const mixed = selfAttention(d, d.norm(x, `${name}.attention.ln`, width, epsilon), `${name}.attention.self`);
  const y = g.add(d.linear(mixed, `${name}.attention.output.dense`, width, width), x);
  const normed = d.norm(y, `${name}.ln`, width, epsilon);
  const expanded = d.activate(d.linear(normed, `${name}.intermediate.dense`, width, feedForward), 'hidden_act');
  return g.add(d.linear(expanded, `${name}.output.dense`, feedForward, width), y);
}

export const megatronBert = bertLike({
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
  embedding: 'wide',
  normed: false,
  layer,
  last: (d, x) => d.norm(x, 'bert.encoder.ln', sizes(d).width, sizes(d).epsilon),
  head: classifyPooled,
  scores: bertHead,
});
