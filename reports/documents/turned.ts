/** @file Counts the flips of attacks from class to class. */
import type { Outcome } from '../../src/core/outcome.js';
import { NO_LABEL } from '../../src/core/prediction.js';
import { type Table, table } from '../../src/results/report/document.js';

/** With more labels than this a matrix is unreadable; the most frequent turns are listed instead. */
const MOST_LABELS = 12;
const MOST_TURNS = 20;

/** Counts successes by the class before and after. */
export class TurnedClasses {
  readonly #labels: readonly string[];
  readonly #counts = new Map<string, number>();

  constructor(labels: readonly string[]) {
    this.#labels = labels;
  }

  add({ status, from, to, toLabels }: Outcome): void {
    if (status !== 'succeeded' || toLabels !== undefined) return;
    this.#counts.set(`${from} ${to}`, (this.#counts.get(`${from} ${to}`) ?? 0) + 1);
  }

  /** A matrix from -> to, or the most frequent turns; undefined where no prediction turned. */
  table(): Table | undefined {
    const labels = this.#labels;
    if (this.#counts.size === 0) return undefined;
    if (labels.length > MOST_LABELS) {
      const turns = [...this.#counts].sort(([, a], [, b]) => b - a).slice(0, MOST_TURNS);
      const label = (index: string): string => labels[Number(index)] ?? 'a tie';
      return table(
        'Most frequent turns',
        ['from', 'to', 'texts'],
        turns.map(([turn, count]) => [...turn.split(' ').map(label), count]),
      );
    }
    const count = (from: number, to: number): number => this.#counts.get(`${from} ${to}`) ?? 0;
    const ties = labels.some((_, from) => count(from, NO_LABEL) > 0);
    return table(
      'Predictions turned: rows from, columns to',
      ['from \\ to', ...labels, ...(ties ? ['a tie'] : [])],
      labels.map((name, from) => [
        name,
        ...labels.map((_, to) => (from === to ? '–' : count(from, to))),
        ...(ties ? [count(from, NO_LABEL)] : []),
      ]),
      { shaded: true },
    );
  }
}
