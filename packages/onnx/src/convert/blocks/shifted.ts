/** @file Encoders with a decoder that reads the same text shifted by one, and is classified at its last end-of-text token. */
import type { Drawing } from '../drawing.js';
import type { Family } from '../family.js';
import { activated } from './activation.js';
import { lastPlace, tokenAt, twoLayers } from './heads.js';

/** The one table that both sides read: it is stored below `prefix` under one of three names, or all. */
export function sharedTable(d: Drawing, prefix: string): string {
  const { config, weights } = d;
  const size = [config.size('vocab_size'), config.size('d_model')];
  const names = ['shared', 'encoder.embed_tokens', 'decoder.embed_tokens'].map((name) => `${prefix}.${name}.weight`);
  const stored = names.filter((name) => weights.has(name));
  for (const copy of stored) weights.take(copy, size);
  return d.weight(stored[0] ?? names[0]!, size);
}

/** The row of the decoder's start token, [batch, 1, width]. */
export function startWord({ g, config }: Drawing, rows: string, table: string): string {
  const row = g.gather(table, g.ints([config.integer('decoder_start_token_id')])); // [1, width]
  const batch = g.op('Slice', [g.shape(rows), g.ints([0]), g.ints([1])]);
  return g.expand(row, g.concat([batch, g.ints([1, config.size('d_model')])], 0));
}

export const classifyEnd: Family['classify'] = (d, hidden, labels) => {
  const { g, config } = d;
  const end = lastPlace(d, g.op('Equal', [d.ids, g.int(config.integer('eos_token_id'))]));
  const act = (x: string) => activated(g, x, 'tanh');
  return twoLayers(d, tokenAt(d, hidden, end), 'classification_head', { width: config.size('d_model'), labels, act });
};
