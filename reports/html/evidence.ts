/** @file What successes are evidence toward, in the words of public catalogues. */
import type { AttackMetrics } from '../../src/index.js';
import { editions, evidenceRows, taxonomy } from '../taxonomy.js';
import { html, type Markup } from './markup.js';
import { table } from './page.js';

/** Attacks of the same kind in one row, a column a catalogue. */
export function evidence(attacks: readonly AttackMetrics[]): Markup {
  const names = Object.values(taxonomy().catalogues).map(({ name }) => name);
  return html`<p class="note">A success is evidence toward these entries, not proof of an attack on a whole system. ${editions()}; our mapping, version ${taxonomy().version}.</p>
${table(
  'Evidence toward entries of public catalogues',
  [{ title: 'Attacks' }, ...names.map((title) => ({ title, align: 'left' as const }))],
  evidenceRows(attacks).map((row) => [
    html`<span class="wrap">${row.names.join(', ')}</span>`,
    ...names.map((name) =>
      row.entries
        .filter(({ catalogue }) => catalogue === name)
        .map(({ id, title }) => html`<div><code>${id}</code> ${title}</div>`),
    ),
  ]),
)}`;
}
