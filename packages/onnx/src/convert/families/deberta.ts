/**
 * @file DeBERTa, v2 and v3 (He et al., ICLR 2021; ICLR 2023): scores are sums of what the content of two tokens says to each other
 * and to their distance. What the weights say of distances is computed for those that the text has, 2 L - 1 of them, and not for
 * the whole table as the reference does.
 */
import { DataType } from '../../graph/data-type.js';
import { type AttentionInputs, attend, LOWEST, paddingBias, present } from '../blocks/attention.js';
import { lookUp, positionRows, typeRows } from '../blocks/embeddings.js';
import { bertHead, maskedHead } from '../blocks/heads.js';
import { BERT_LAYER, layerAfterAttention } from '../blocks/layer.js';
import { bucketed, byDistance, distances } from '../blocks/relative.js';
import type { Drawing } from '../drawing.js';
import { type Family, firstToken, usualSizes } from '../family.js';
import { BERT_DEFAULTS, sizes as bertSizes, encoderOnly } from './bert.js';

/** Longer distances than any text has: a bucket is written down for each. */
const FARTHEST = 65_536;
/** The kinds of terms; others of the first version are not in the second. */
const TERMS = ['c2p', 'p2c'];
const NORMS = ['none', 'layer_norm'];

function debertaSizes(d: Drawing) {
  const { config } = d;
  const { width, heads, ...rest } = bertSizes(d);
  const size = config.size('attention_head_size', width / heads);
  const terms = config.list('pos_att_type');
  const odd = terms.some((term) => !TERMS.includes(term));
  if (odd) throw config.refuse('pos_att_type', `a list of ${TERMS.join(', ')}`);
  return { ...rest, width, heads, size, all: heads * size, terms };
}

/** The distance from which on nothing changes, by the config. */
function farthestOf(d: Drawing): number {
  const claimed = d.config.integer('max_relative_positions');
  if (claimed > FARTHEST) throw d.config.refuse('max_relative_positions', `at most ${FARTHEST}`);
  return claimed < 1 ? debertaSizes(d).positions : claimed;
}

/** The table of distances, [2 span, width], the bucket of each, and the distance from which on that changes no more. */
function relative(d: Drawing): Distances {
  const { config } = d;
  const { width, epsilon } = debertaSizes(d);
  const farthest = farthestOf(d);
  const buckets = config.integer('position_buckets');
  const span = buckets > 0 ? buckets : farthest;
  const norms = config.list('norm_rel_ebd');
  if (norms.some((norm) => !NORMS.includes(norm))) throw config.refuse('norm_rel_ebd', NORMS.join(', '));
  const table = d.weight('deberta.encoder.rel_embeddings.weight', [2 * span, width]);
  const normed = norms.includes('layer_norm')
    ? d.once('deberta distances', () => d.norm(table, 'deberta.encoder.LayerNorm', width, epsilon))
    : table;
  if (buckets === 1) throw config.refuse('position_buckets', 'at least 2, or -1');
  const bucket = (distance: number) => (buckets > 0 ? bucketOf(distance, buckets, farthest) : distance);
  // From here on the last row stands for all.
  let reach = farthest;
  while (bucket(reach) < span && reach < 8 * farthest) reach++;
  return { reach, bucket, span, table: normed };
}

/** The row of a distance: one each up to half the buckets, then ever wider ones. In the steps of single precision that the reference takes. */
function bucketOf(distance: number, buckets: number, farthest: number): number {
  const middle = Math.floor(buckets / 2);
  const size = Math.abs(distance);
  if (size <= middle) return distance;
  const log = Math.fround(Math.log(Math.fround(size / middle)));
  const whole = Math.fround(Math.log(Math.fround((farthest - 1) / middle)));
  const far = Math.ceil(Math.fround(Math.fround(log / whole) * (middle - 1))) + middle;
  return Math.sign(distance) * far;
}

interface Distances {
  /** From this distance on the last row stands for all. */
  readonly reach: number;
  readonly bucket: (distance: number) => number;
  /** Rows to each side. */
  readonly span: number;
  readonly table: string;
}

/** A layer's projections of the table of distances, [2 span, heads * size]: for queries (c2p) and for keys (p2c). */
type Projections = Readonly<Record<'c2p' | 'p2c', (table: string) => string>>;

/** The terms of the scores of one layer that depend on distances. */
function positionTerms(d: Drawing, { reach, bucket, span, table }: Distances, project: Projections) {
  const { g } = d;
  const { heads, size, terms: kinds } = debertaSizes(d);
  /** The vectors of the distances of the text, [heads, size, 2 L]; `back` where the distance is from the key to the query. */
  const vectors = (kind: keyof Projections, back: boolean) => {
    const row = (distance: number) => (back ? -1 : 1) * bucket(distance) + span;
    const rows = d.once(`deberta rows ${back}`, () =>
      bucketed(d, distances(d), reach, (distance) => Math.min(Math.max(row(distance), 0), 2 * span - 1)),
    );
    const taken = g.gather(project[kind](table), rows); // of weights alone: computed once, when a session is opened
    return g.transpose(g.reshape(taken, [-1, heads, size]), [1, 2, 0]);
  };
  return (query: string, key: string): string[] => {
    const found: string[] = [];
    if (kinds.includes('c2p')) found.push(byDistance(d, g.matmul(query, vectors('c2p', false)), heads));
    if (kinds.includes('p2c')) {
      const ofKeys = byDistance(d, g.matmul(key, vectors('p2c', true)), heads); // [batch, heads, key, query]
      found.push(g.transpose(ofKeys, [0, 1, 3, 2]));
    }
    return found;
  };
}

/** The second version's, which may share the layers of the contents. */
function projections(d: Drawing, name: string): Projections {
  const { width, all } = debertaSizes(d);
  const prefix = d.config.flag('share_att_key') ? '' : 'pos_';
  return {
    c2p: (table) => d.linear(table, `${name}.${prefix}key_proj`, width, all),
    p2c: (table) => d.linear(table, `${name}.${prefix}query_proj`, width, all),
  };
}

/** Padding is masked as a key and as a query; the latter affects only its own output. */
function debertaBias(d: Drawing): string {
  if (!d.everyToken) return paddingBias(d);
  return d.once('deberta bias', () => {
    const { g } = d;
    const seen = g.op('And', [present(d), g.transpose(present(d), [0, 1, 3, 2])]);
    return g.where(seen, g.float(0), g.float(LOWEST));
  });
}

/** A layer of these queries, keys and values. */
function debertaLayer(
  d: Drawing,
  x: string,
  name: string,
  parts: Pick<AttentionInputs, 'query' | 'key' | 'value'>,
  relative: () => readonly [Distances, Projections],
): string {
  const { heads, size, terms: kinds } = debertaSizes(d);
  const mixed = attend(d, {
    ...parts,
    heads,
    size,
    // Each kind of term counts as one more product.
    divisor: Math.sqrt(size * (1 + kinds.length)),
    bias: debertaBias(d),
    ...(d.config.flag('relative_attention') && { terms: positionTerms(d, ...relative()) }),
  });
  return layerAfterAttention(d, x, mixed, name, BERT_LAYER, debertaSizes(d));
}

function layer(d: Drawing, x: string, name: string): string {
  const { width, all } = debertaSizes(d);
  const self = `${name}.attention.self`;
  const part = (role: string) => d.linear(x, `${self}.${role}_proj`, width, all);
  const parts = { query: part('query'), key: part('key'), value: part('value') };
  return debertaLayer(d, x, name, parts, () => [relative(d), projections(d, self)]);
}

/** The convolution of v2 beside the first layer: what the embeddings say of a token's neighbours is added to its output. */
function convolve(d: Drawing, embedded: string, output: string): string {
  const { g, config } = d;
  const { width, epsilon } = debertaSizes(d);
  const kernel = config.count('conv_kernel_size');
  const groups = config.count('conv_groups');
  if (kernel % 2 === 0) throw config.refuse('conv_kernel_size', 'an odd number');
  if (width % groups !== 0) throw config.refuse('conv_groups', `a divisor of hidden_size ${width}`);
  const name = 'deberta.encoder.conv';
  const side = (kernel - 1) / 2;
  const turn = (x: string) => g.transpose(x, [0, 2, 1]);
  const weight = d.weight(`${name}.conv.weight`, [width, width / groups, kernel]);
  const bias = d.weight(`${name}.conv.bias`, [width]);
  const seen = turn(
    g.op('Conv', [turn(embedded), weight, bias], { kernel_shape: [kernel], pads: [side, side], group: groups }),
  );
  return d.norm(g.add(output, d.activate(seen, 'conv_act')), `${name}.LayerNorm`, width, epsilon);
}

function debertaEmbed(d: Drawing): string {
  const { g, config } = d;
  const { width, vocabulary, positions, types, embedding, epsilon } = debertaSizes(d);
  const name = 'deberta.embeddings';
  let x = lookUp(d, `${name}.word_embeddings.weight`, vocabulary, embedding, d.ids);
  if (config.flag('position_biased_input')) {
    x = g.add(x, positionRows(d, `${name}.position_embeddings.weight`, positions, embedding));
  }
  if (types > 0) x = g.add(x, typeRows(d, `${name}.token_type_embeddings.weight`, types, embedding, true));
  if (embedding !== width) x = d.linear(x, `${name}.embed_proj`, embedding, width, { bias: false });
  return d.norm(x, `${name}.LayerNorm`, width, epsilon);
}

/** The rows of padding are zeros, where neighbours or the answers of padding are read. */
function debertaInput(d: Drawing, embedded: string, neighbours: boolean): string {
  if (!neighbours && !d.everyToken) return embedded;
  return d.g.mul(embedded, d.g.unsqueeze(d.g.cast(d.mask, DataType.float), [2]));
}

/** A layer and its function on the first token, and the labels. */
function debertaClassify(d: Drawing, hidden: string, labels: number): string {
  const { width } = debertaSizes(d);
  d.config.only('pooler_hidden_size', width);
  const pooled = d.linear(firstToken(d, hidden), 'pooler.dense', width, width, { head: true });
  return d.linear(d.activate(pooled, 'pooler_hidden_act'), 'classifier', width, labels, { head: true });
}

/** The reference ties the layer of its new head to the table of words, of another shape. */
function debertaMasked(d: Drawing, hidden: string): string {
  d.config.only('legacy', true);
  return maskedHead(d, hidden, bertHead(d, 'deberta'), debertaSizes(d));
}

const DEBERTA_DEFAULTS = {
  ...BERT_DEFAULTS,
  type_vocab_size: 0,
  layer_norm_eps: 1e-7,
  relative_attention: false,
  max_relative_positions: -1,
  position_biased_input: true,
  pooler_hidden_act: 'gelu',
} as const;

export const debertaV2: Family = {
  types: ['deberta-v2'],
  prefix: 'deberta',
  defaults: {
    ...DEBERTA_DEFAULTS,
    ...usualSizes(128100, 1536, 6144, 24, 24),
    position_buckets: -1,
    share_att_key: false,
    norm_rel_ebd: 'none',
    conv_groups: 1,
    conv_act: 'tanh',
  },
  unused: ['deberta.encoder.LayerNorm'],
  width: (d) => debertaSizes(d).width,
  encode(d) {
    encoderOnly(d);
    const { layers } = debertaSizes(d);
    const convolved = d.config.has('conv_kernel_size') && d.config.integer('conv_kernel_size') > 0;
    let x = debertaInput(d, debertaEmbed(d), convolved);
    const embedded = x;
    for (let at = 0; at < layers; at++) {
      x = layer(d, x, `deberta.encoder.layer.${at}`);
      if (at === 0 && convolved) x = convolve(d, embedded, x);
    }
    return x;
  },
  classify: debertaClassify,
  masked: debertaMasked,
};

/** The table of distances as it is: a row each, and the last for all that are farther. */
function wholeTable(d: Drawing) {
  const span = farthestOf(d);
  const table = d.weight('deberta.encoder.rel_embeddings.weight', [2 * span, debertaSizes(d).width]);
  return { reach: span, bucket: (distance: number) => distance, span, table };
}

function firstLayer(d: Drawing, x: string, name: string): string {
  const { g } = d;
  const { width, heads, size, all } = debertaSizes(d);
  const self = `${name}.attention.self`;
  const product = d.linear(x, `${self}.in_proj`, width, 3 * all, { bias: false });
  const each = g.split(g.reshape(product, [0, 0, heads, 3 * size]), [size, size, size], -1);
  const [query, key, value] = each.map((part) => g.reshape(part, [0, 0, all])) as [string, string, string];
  const biased = (part: string, bias: string) => g.add(part, d.weight(`${self}.${bias}`, [all]));
  const parts = { query: biased(query, 'q_bias'), key, value: biased(value, 'v_bias') };
  return debertaLayer(d, x, name, parts, () => [
    wholeTable(d),
    {
      c2p: (table) => d.linear(table, `${self}.pos_proj`, width, all, { bias: false }),
      p2c: (table) => d.linear(table, `${self}.pos_q_proj`, width, all),
    },
  ]);
}

/** The first version: queries, keys and values of a head lie side by side in one matrix. */
export const deberta: Family = {
  types: ['deberta'],
  prefix: 'deberta',
  defaults: { ...DEBERTA_DEFAULTS, vocab_size: 50265 },
  unused: ['deberta.encoder.rel_embeddings'],
  width: (d) => debertaSizes(d).width,
  encode(d) {
    encoderOnly(d);
    const { width, heads, layers } = debertaSizes(d);
    d.config.only('attention_head_size', width / heads);
    d.config.only('talking_head', false);
    let x = debertaInput(d, debertaEmbed(d), false);
    for (let at = 0; at < layers; at++) x = firstLayer(d, x, `deberta.encoder.layer.${at}`);
    return x;
  },
  classify: debertaClassify,
  masked: debertaMasked,
};
