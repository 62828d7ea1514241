/** @file DeBERTa, first version (He et al., ICLR 2021): queries, keys and values of a head lie side by side in one matrix. */
import { attend } from '../blocks/attention.js';
import { bertHead, maskedHead } from '../blocks/heads.js';
import { BERT_LAYER, layerAfterAttention } from '../blocks/layer.js';
import type { Drawing } from '../drawing.js';
import type { Family } from '../family.js';
import { encoderOnly } from './bert.js';
import {
  DEBERTA_DEFAULTS,
  debertaBias,
  debertaClassify,
  debertaEmbed,
  debertaInput,
  debertaSizes,
  FARTHEST,
  positionTerms,
} from './deberta-v2.js';

/** The table of distances as it is: a row each, and the last for all that are farther. */
function relative(d: Drawing) {
  const { config } = d;
  const { width, positions } = debertaSizes(d);
  const claimed = config.integer('max_relative_positions');
  if (claimed > FARTHEST) throw config.refuse('max_relative_positions', `at most ${FARTHEST}`);
  const span = claimed < 1 ? positions : claimed;
  const table = d.weight('deberta.encoder.rel_embeddings.weight', [2 * span, width]);
  return { reach: span, bucket: (distance: number) => distance, span, table };
}

function layer(d: Drawing, x: string, name: string): string {
  const { g, config } = d;
  const { width, heads, size, all, feedForward, epsilon, terms } = debertaSizes(d);
  const self = `${name}.attention.self`;
  const product = d.linear(x, `${self}.in_proj`, width, 3 * all, { bias: false });
  const parts = g.split(g.reshape(product, [0, 0, heads, 3 * size]), [size, size, size], -1);
  const [query, key, value] = parts.map((part) => g.reshape(part, [0, 0, all])) as [string, string, string];
  const mixed = attend(d, {
    query: g.add(query, d.weight(`${self}.q_bias`, [all])),
    key,
    value: g.add(value, d.weight(`${self}.v_bias`, [all])),
    heads,
    size,
    divisor: Math.sqrt(size * (1 + terms.length)),
    bias: debertaBias(d),
    ...(config.flag('relative_attention') && {
      terms: positionTerms(d, relative(d), {
        c2p: (table) => d.linear(table, `${self}.pos_proj`, width, all, { bias: false }),
        p2c: (table) => d.linear(table, `${self}.pos_q_proj`, width, all),
      }),
    }),
  });
  return layerAfterAttention(d, x, mixed, name, BERT_LAYER, { width, all, feedForward, epsilon });
}

export const deberta: Family = {
  types: ['deberta'],
  prefix: 'deberta',
  defaults: { ...DEBERTA_DEFAULTS, vocab_size: 50265 },
  unused: ['deberta.encoder.rel_embeddings'],
  width: (d) => debertaSizes(d).width,
  encode(d) {
    encoderOnly(d);
    const { config } = d;
    const { width, heads, layers } = debertaSizes(d);
    config.only('attention_head_size', width / heads);
    config.only('talking_head', false);
    let x = debertaInput(d, debertaEmbed(d), false);
    for (let at = 0; at < layers; at++) x = layer(d, x, `deberta.encoder.layer.${at}`);
    return x;
  },
  classify: debertaClassify,
  masked(d, hidden) {
    d.config.only('legacy', true);
    return maskedHead(d, hidden, bertHead(d, 'deberta'), debertaSizes(d));
  },
};
