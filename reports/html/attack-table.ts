/** @file Attacks and all their figures, what each was allowed to do, and which classes it turned. */
import type { AttackMetrics, CombinedRates, Report } from '../../src/index.js';
import { beside, idleness, medians, percent, toldSuites } from '../figures.js';
import { rateCell } from './interval-bar.js';
import { type Content, html, type Markup } from './markup.js';
import { type Column, facts, table } from './page.js';

const right = (title: Content): Column => ({ title, align: 'right' });

const labelled = (attack: AttackMetrics, of: 'attackSuccessRate' | 'accuracyUnderAttack'): Markup =>
  html`${rateCell(attack[of])}${beside(attack) !== '' && html` <span class="bounds">${beside(attack)}</span>`}`;

/** A row an attack, a column a metric. */
export function attackTable(report: Report): Markup {
  const { attacks, overall } = report;
  const has = (of: (attack: AttackMetrics) => unknown): boolean => attacks.some((attack) => of(attack) !== undefined);
  const columns: (readonly [Column, (attack: AttackMetrics) => Content, ((all: CombinedRates) => Content)?])[] = [
    [{ title: 'Attack' }, (a) => a.name],
    [right('Success rate'), (a) => labelled(a, 'attackSuccessRate'), (all) => rateCell(all.attackSuccessRate)],
    [
      right('Accuracy under attack'),
      (a) => labelled(a, 'accuracyUnderAttack'),
      (all) => rateCell(all.accuracyUnderAttack),
    ],
    [right('Succeeded'), (a) => a.succeeded],
    [right('Failed'), (a) => a.failed],
    [right('Skipped'), (a) => a.skipped],
    [right('Errored'), (a) => a.errored],
    ...(has((a) => a.noise)
      ? [[right('Noise of the same size'), (a: AttackMetrics) => a.noise && rateCell(a.noise)] as const]
      : []),
    ...(has((a) => a.asText)
      ? [[right('Success as text'), (a: AttackMetrics) => a.asText && rateCell(a.asText)] as const]
      : []),
    [right('Words changed'), (a) => percent(a.perturbedWords)],
    [
      right('Queries'),
      ({ queries: { asked, computed } }) =>
        html`${asked.toFixed(1)} <span class="bounds">${computed.toFixed(1)}</span>`,
    ],
  ];
  const together = (name: string, all: CombinedRates): Content[] => [
    name,
    ...columns.slice(1).map(([, , cell]) => cell?.(all)),
  ];
  return table(
    'Figures by attack',
    columns.map(([column]) => column),
    [
      ...attacks.map((attack) => columns.map(([, cell]) => cell(attack))),
      ...toldSuites(report).map((suite) => together(`any of ${suite.name}`, suite)),
      ...(attacks.length > 1 ? [together('any of them', overall)] : []),
    ],
  );
}

/** What the adversarial texts leave of their originals; nothing where no text was measured. */
export function qualityTable(attacks: readonly AttackMetrics[]): Markup | false {
  const measured = attacks.flatMap(({ name, quality }) => (quality === undefined ? [] : [{ name, quality }]));
  if (measured.length === 0) return false;
  const figure = (value: number | null): string => (value === null ? '–' : value.toFixed(2));
  return html`<h3>What is left of the texts</h3>
${table(
  'Quality of adversarial texts',
  [
    { title: 'Attack' },
    ...['Texts', 'Of them found before', 'Characters edited', 'Perplexity ratio', 'Similarity', 'Readability'].map(
      right,
    ),
  ],
  measured.map(({ name, quality }) => [
    name,
    quality.n,
    quality.duplicates,
    quality.editDistance.toFixed(1),
    figure(quality.perplexityRatio),
    figure(quality.similarity),
    figure(quality.readability),
  ]),
)}
<p class="note">Means over the successes. Perplexity: over the original's, by n-grams. Similarity: 1 keeps all meaning, by weighted words in WordNet. Readability: share of the original's words recognised at a glance.</p>`;
}

/** Under which rules each rate was found: without them it means nothing. */
export const rules = (attacks: readonly AttackMetrics[]): Markup =>
  facts(
    attacks.map((attack) => [
      attack.name,
      html`${attack.constraints.join('; ') || 'any edit'}${attack.notApplicable !== undefined && html`<br><span class="dim">${idleness(attack)}</span>`}${attack.details !== undefined && html`<br><span class="dim">medians: ${medians(attack)}</span>`}`,
    ]),
  );

/** Success rate by true class: a row an attack, a column a class. */
export function byClass({ attacks, model }: Report): Markup | false {
  const known = attacks.filter(({ perClass }) => perClass.length > 0);
  if (known.length === 0) return false;
  return table(
    'Success rate by class',
    [{ title: 'Attack' }, ...model.labels.map(right)],
    known.map(({ name, perClass }) => [name, ...perClass.map((one) => rateCell(one.attackSuccessRate))]),
  );
}
