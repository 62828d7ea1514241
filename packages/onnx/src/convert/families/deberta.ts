/** @file DeBERTa, first version (He et al., ICLR 2021): queries, keys and values of a head lie side by side in one matrix. */
import type { Drawing } from '../drawing.js';
import type { Family } from '../family.js';
import { encoderOnly } from './bert.js';
import {
  DEBERTA_DEFAULTS,
  debertaClassify,
  debertaEmbed,
  debertaInput,
  debertaLayer,
  debertaMasked,
  debertaSizes,
  farthestOf,
} from './deberta-v2.js';

/** The table of distances as it is: a row each, and the last for all that are farther. */
function relative(d: Drawing) {
  const span = farthestOf(d);
  const table = d.weight('deberta.encoder.rel_embeddings.weight', [2 * span, debertaSizes(d).width]);
  return { reach: span, bucket: (distance: number) => distance, span, table };
}

function layer(d: Drawing, x: string, name: string): string {
  const { g } = d;
  const { width, heads, size, all } = debertaSizes(d);
  const self = `${name}.attention.self`;
  const product = d.linear(x, `${self}.in_proj`, width, 3 * all, { bias: false });
  const each = g.split(g.reshape(product, [0, 0, heads, 3 * size]), [size, size, size], -1);
  const [query, key, value] = each.map((part) => g.reshape(part, [0, 0, all])) as [string, string, string];
  const biased = (part: string, bias: string) => g.add(part, d.weight(`${self}.${bias}`, [all]));
  const parts = { query: biased(query, 'q_bias'), key, value: biased(value, 'v_bias') };
  return debertaLayer(d, x, name, parts, () => [
    relative(d),
    {
      c2p: (table) => d.linear(table, `${self}.pos_proj`, width, all, { bias: false }),
      p2c: (table) => d.linear(table, `${self}.pos_q_proj`, width, all),
    },
  ]);
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
  masked: debertaMasked,
};
