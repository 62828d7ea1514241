/** @file Counts of texts by true and predicted label. Only counts above zero are kept, because the matrix grows with the square of the labels. */
import type { ClassCounts } from './class-scores.js';
import type { CleanMetrics } from './clean-metrics.js';

/** Records of more labels hold the cells above zero instead of the matrix. */
const MATRIX_LABELS = 100;

export type Cell = readonly [truth: number, predicted: number, n: number];

/** Of many labels the cells, of few the matrix. */
export type Recorded = Pick<CleanMetrics, 'confusion' | 'confusionCells'>;

export class Confusion {
  readonly #labels: number;
  /** Key: true label times the number of labels, plus the predicted one. */
  readonly #counts = new Map<number, number>();

  constructor(labels: number) {
    this.#labels = labels;
  }

  add(truth: number, predicted: number): void {
    const key = truth * this.#labels + predicted;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** In the order of the matrix. */
  cells(): Cell[] {
    const all = [...this.#counts].sort(([a], [b]) => a - b);
    return all.map(([key, n]) => [Math.floor(key / this.#labels), key % this.#labels, n]);
  }

  record(): Recorded {
    if (this.#labels > MATRIX_LABELS) return { confusion: [], confusionCells: this.cells() };
    const confusion = Array.from({ length: this.#labels }, () => new Array<number>(this.#labels).fill(0));
    for (const [truth, predicted, n] of this.cells()) confusion[truth]![predicted] = n;
    return { confusion };
  }
}

/** The counts above zero of a record. */
export const cellsOf = ({ confusion, confusionCells }: Recorded): readonly Cell[] =>
  (confusionCells as readonly Cell[] | undefined) ??
  confusion.flatMap((row, truth) => row.flatMap((n, predicted) => (n > 0 ? [[truth, predicted, n] as const] : [])));

/** Hits, examples and predictions of each label. */
export function classCounts(cells: readonly Cell[], labels: number): ClassCounts[] {
  const counts = Array.from({ length: labels }, () => ({ hits: 0, support: 0, predicted: 0 }));
  for (const [truth, predicted, n] of cells) {
    const [row, column] = [counts[truth], counts[predicted]];
    if (row === undefined || column === undefined) continue;
    if (row === column) row.hits += n;
    row.support += n;
    column.predicted += n;
  }
  return counts;
}
