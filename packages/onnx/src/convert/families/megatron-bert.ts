/** @file Megatron-BERT (Shoeybi et al. 2019): BERT with norms before each part and one behind the last layer, none on the embeddings. */
import { bertHead } from '../blocks/heads.js';
import type { Drawing } from '../drawing.js';
import { usualSizes } from '../family.js';
import { BERT_DEFAULTS, bertLike, classifyPooled, selfAttention, sizes } from './bert.js';

function layer(d: Drawing, x: string, name: string): string {
  const { width, feedForward, epsilon } = sizes(d);
  const mixed = selfAttention(d, d.norm(x, `${name}.attention.ln`, width, epsilon), `${name}.attention.self`);
  const y = d.g.add(d.linear(mixed, `${name}.attention.output.dense`, width, width), x);
  const normed = d.norm(y, `${name}.ln`, width, epsilon);
  const expanded = d.activate(d.linear(normed, `${name}.intermediate.dense`, width, feedForward), 'hidden_act');
  return d.g.add(d.linear(expanded, `${name}.output.dense`, feedForward, width), y);
}

export const megatronBert = bertLike({
  types: ['megatron-bert'],
  tokenizer: 'bert',
  prefix: 'bert',
  defaults: { ...BERT_DEFAULTS, ...usualSizes(29056, 1024, 4096, 24, 16) },
  embedding: 'wide',
  normed: false,
  layer,
  last: (d, x) => d.norm(x, 'bert.encoder.ln', sizes(d).width, sizes(d).epsilon),
  head: classifyPooled,
  scores: bertHead,
});
