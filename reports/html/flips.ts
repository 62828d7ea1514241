/** @file From which class to which the attacks turned predictions. */
import type { Outcome } from '../../src/index.js';
import { html, type Markup, raw } from './markup.js';
import { table } from './page.js';

/** With more labels than this a matrix is unreadable; the most frequent flips are listed instead. */
const MOST_LABELS = 12;
const MOST_FLIPS = 20;

/** Counts successes by the class before and after. */
export function flipFold(labels: readonly string[]) {
  const counts = new Map<string, number>();
  const label = (index: number): string => labels[index] ?? String(index);
  return {
    add({ status, from, to }: Outcome): void {
      if (status !== 'succeeded') return;
      counts.set(`${from} ${to}`, (counts.get(`${from} ${to}`) ?? 0) + 1);
    },

    /** A matrix from -> to, or the most frequent flips; nothing where no prediction turned. */
    markup(): Markup | undefined {
      if (counts.size === 0) return undefined;
      if (labels.length > MOST_LABELS) {
        const flips = [...counts].sort(([, a], [, b]) => b - a).slice(0, MOST_FLIPS);
        return table(
          'Most frequent flips',
          [{ title: 'From' }, { title: 'To' }, { title: 'Texts', align: 'right' }],
          flips.map(([flip, count]) => [...flip.split(' ').map((index) => label(Number(index))), count]),
        );
      }
      const most = Math.max(...counts.values());
      const cell = (from: number, to: number): Markup => {
        const count = counts.get(`${from} ${to}`);
        if (count === undefined) return raw(`<td class="figure none">${from === to ? '–' : '0'}</td>`);
        return html`<td class="figure heat-${Math.ceil((count / most) * 4)}">${count}</td>`;
      };
      return html`<div class="scroll" role="region" aria-label="Flips from class to class" tabindex="0">
<table class="matrix">
<caption class="unseen">Predictions turned: rows from, columns to</caption>
<thead><tr><th scope="col">from \\ to</th>${labels.map((name) => html`<th scope="col" class="figure">${name}</th>`)}</tr></thead>
<tbody>${labels.map((name, from) => html`<tr><th scope="row">${name}</th>${labels.map((_, to) => cell(from, to))}</tr>\n`)}</tbody>
</table>
</div>
`;
    },
  };
}
