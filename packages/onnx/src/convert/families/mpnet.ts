/** @file MPNet (Song et al., NeurIPS 2020): fairseq's positions, and a bias for buckets of distances that all layers share. */
import { attend, paddingBias } from '../blocks/attention.js';
import { countedPositions, lookUp } from '../blocks/embeddings.js';
import { robertaHead } from '../blocks/heads.js';
import { BERT_LAYER, layerAfterAttention } from '../blocks/layer.js';
import { bucketed, logBucket, pairDistances } from '../blocks/relative.js';
import type { Drawing } from '../drawing.js';
import { BERT_DEFAULTS, bertLike, classifyFirst, sizes } from './bert.js';

/** Fixed in the modelling code, whatever the config says. */
const PADDING = 1;
const BUCKETS = 32;
const FARTHEST = 128;

/** The bias of all layers, [batch, heads, sequence, sequence]: by distance, and the lowest number for padding. */
function biasOf(d: Drawing): string {
  return d.once('mpnet bias', () => {
    const { g, config } = d;
    const rows = config.count('relative_attention_num_buckets');
    if (rows < BUCKETS) throw config.refuse('relative_attention_num_buckets', `at least ${BUCKETS}`);
    const table = d.weight('mpnet.encoder.relative_attention_bias.weight', [rows, sizes(d).heads]);
    const bucketOf = (distance: number) => logBucket(distance, { buckets: BUCKETS, farthest: FARTHEST, sided: true });
    const buckets = bucketed(d, pairDistances(d), FARTHEST, bucketOf);
    const biases = g.transpose(g.gather(table, buckets), [2, 0, 1]);
    return g.add(g.unsqueeze(biases, [0]), paddingBias(d));
  });
}

const LAYER = { ...BERT_LAYER, output: 'attention.attn.o', outputNorm: 'attention.LayerNorm' };

function layer(d: Drawing, x: string, name: string): string {
  const { width, heads, size } = sizes(d);
  const part = (role: string) => d.linear(x, `${name}.attention.attn.${role}`, width, width);
  const mixed = attend(d, { query: part('q'), key: part('k'), value: part('v'), heads, size, bias: biasOf(d) });
  return layerAfterAttention(d, x, mixed, name, LAYER, sizes(d));
}

function embed(d: Drawing): string {
  const { width, vocabulary, positions, epsilon } = sizes(d);
  const name = 'mpnet.embeddings';
  const words = lookUp(d, `${name}.word_embeddings.weight`, vocabulary, width, d.ids);
  const rows = lookUp(d, `${name}.position_embeddings.weight`, positions, width, countedPositions(d, PADDING));
  return d.norm(d.g.add(words, rows), `${name}.LayerNorm`, width, epsilon);
}

export const mpnet = bertLike({
  types: ['mpnet'],
  prefix: 'mpnet',
  defaults: { ...BERT_DEFAULTS, vocab_size: 30527, relative_attention_num_buckets: BUCKETS },
  embed,
  layer,
  head: classifyFirst,
  scores: robertaHead,
});
