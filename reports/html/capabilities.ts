/** @file What a model fails to understand: capabilities with their failure rates, and minimal pairs that show it. */
import type { AttackMetrics } from '../../src/index.js';
import { capabilityRows, minimalPairs, RELATIONS, relationsOf, WHAT_COUNTS } from '../capabilities.js';
import { wordDiff } from '../word-diff.js';
import { changes } from './changes.js';
import { html, type Markup } from './markup.js';
import { table } from './page.js';

/** Nothing for attacks that probe no capability. */
export function capabilities(attack: AttackMetrics, labels: readonly string[]): Markup | false {
  const rows = capabilityRows(attack);
  if (rows.length === 0) return false;
  const relations = relationsOf(attack);
  const names = (of: readonly number[]): string => of.map((label) => labels[label] ?? String(label)).join(' or ');
  return html`<p class="note">Failed/asked, failure rate, its 95 % interval. ${WHAT_COUNTS}</p>
${table(
  `Capabilities, ${attack.name}`,
  [{ title: 'Capability' }, ...relations.map((title) => ({ title, align: 'right' as const }))],
  rows.map((row) => [row.capability, ...relations.map(row.cell)]),
)}
<ul class="note">${relations.map((relation) => html`<li><b>${relation}</b> ${RELATIONS[relation]}</li>`)}</ul>
<ol class="texts">${minimalPairs(attack).map(
    ({ capability, relation, sample, meaning }) =>
      html`<li><p class="about"><b>${capability}</b><span>${relation}</span><span>expected ${names(sample.expected)} (${sample.score.toFixed(2)}), got ${names([sample.got])}</span></p>
<p class="text" dir="auto">${changes(wordDiff(sample.original, sample.text))}</p>${meaning !== '' && html`<p class="note">${meaning}</p>`}</li>
`,
  )}</ol>`;
}
