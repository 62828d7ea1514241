/** @file Detects whether a model fails only because data and model number their labels differently. */
import { must } from '../../core/errors.js';
import { wilson } from '../../core/statistics/stats.js';
import type { Cell } from './confusion.js';

/** Probability that labels unrelated to the answers are called permuted. */
const ALPHA = 0.05;

/** Labels of more texts and answers are not assigned: the time grows with their cube. */
const MOST_LABELS = 1000;

/**
 * The renaming of labels under which a model that is not significantly better than chance would be good: data label -> model label.
 * Undefined if no renaming helps.
 *
 * "Good" excludes luck and a constant prediction: the lower Wilson bound has to exceed the most frequent label's share, 1 / labels, and the
 * upper bound of the accuracy without renaming. The best of K! renamings is chosen, so the bound is widened to hold for all of them at
 * once: K! 2 exp(-z^2 / 2) = ALPHA (Bonferroni).
 */
export function labelPermutation(cells: readonly Cell[], size: number): number[] | undefined {
  // A label without texts and answers stays where it is.
  const met = [...new Set([...cells.map(([truth]) => truth), ...cells.map(([, predicted]) => predicted)])].sort(
    (a, b) => a - b,
  );
  if (size < 2 || met.length === 0 || met.length > MOST_LABELS) return undefined;
  const place = new Map(met.map((label, at) => [label, at]));
  const confusion = met.map(() => met.map(() => 0));
  for (const [truth, predicted, n] of cells) must(confusion[must(place.get(truth))])[must(place.get(predicted))] = n;
  const support = confusion.map((row) => row.reduce((a, b) => a + b, 0));
  const n = support.reduce((a, b) => a + b, 0);
  const rightUnder = (to: readonly number[]): number =>
    to.reduce((right, column, row) => right + must(must(confusion[row])[column]), 0);
  const now = wilson(rightUnder(confusion.map((_, at) => at)), n);
  const chance = 1 / size;
  if (must(now.low) > chance) return undefined;

  const permutation = assignment(confusion);
  const best = wilson(rightUnder(permutation), n, zOfAll(size));
  const toBeat = Math.max(chance, Math.max(...support) / n, must(now.high));
  if (must(best.low) <= toBeat) return undefined;
  const moved = new Map(met.map((label, at) => [label, must(met[must(permutation[at])])]));
  return Array.from({ length: size }, (_, label) => moved.get(label) ?? label);
}

/** The z at which the intervals of all orders hold at once: K! 2 exp(-z^2 / 2) = ALPHA. */
function zOfAll(size: number): number {
  let logFactorial = 0;
  for (let k = 2; k <= size; k++) logFactorial += Math.log(k);
  return Math.sqrt(2 * (logFactorial + Math.log(2 / ALPHA)));
}

/**
 * Assigns a different column to each row so that the sum of the entries is greatest; the diagonal wins ties. Shortest augmenting paths (the
 * Hungarian method: Kuhn 1955; in this form Jonker and Volgenant 1987), O(n^3).
 */
function assignment(gain: readonly (readonly number[])[]): number[] {
  const size = gain.length;
  // Integers scaled so that all diagonal bonuses together are worth less than one more hit.
  const cost = (row: number, column: number): number =>
    -must(must(gain[row])[column]) * (size + 1) - (row === column ? 1 : 0);
  const rowPrice = new Float64Array(size);
  const columnPrice = new Float64Array(size + 1);
  const rowOf = new Int32Array(size + 1).fill(-1); // Indexed by column; column `size` is the start of each path.
  for (let row = 0; row < size; row++) {
    rowOf[size] = row;
    augment(rowOf, rowPrice, columnPrice, cost);
  }
  const columns = new Array<number>(size);
  for (let column = 0; column < size; column++) columns[must(rowOf[column])] = column;
  return columns;
}

/** Assigns the row at the start of the path, column `size`, by the cheapest path that ends at a free column. */
function augment(
  rowOf: Int32Array,
  rowPrice: Float64Array,
  columnPrice: Float64Array,
  cost: (row: number, column: number) => number,
): void {
  const size = rowPrice.length;
  const reached = new Float64Array(size).fill(Number.POSITIVE_INFINITY);
  const from = new Int32Array(size);
  const done = new Uint8Array(size + 1);
  let column = size;
  while (rowOf[column] !== -1) {
    done[column] = 1;
    const at = must(rowOf[column]);
    for (let to = 0; to < size; to++) {
      const slack = cost(at, to) - must(rowPrice[at]) - must(columnPrice[to]);
      if (done[to] || slack >= must(reached[to])) continue;
      reached[to] = slack;
      from[to] = column;
    }
    column = nearestOf(reached, done);
    const nearest = must(reached[column]);
    for (let to = 0; to <= size; to++) {
      if (done[to]) {
        rowPrice[must(rowOf[to])]! += nearest;
        columnPrice[to]! -= nearest;
      } else reached[to]! -= nearest;
    }
  }
  for (; column !== size; column = must(from[column])) rowOf[column] = must(rowOf[must(from[column])]);
}

/** The first column that is reached at the lowest cost among those not done. */
function nearestOf(reached: Float64Array, done: Uint8Array): number {
  let next = -1;
  for (const [to, slack] of reached.entries()) if (!done[to] && (next < 0 || slack < must(reached[next]))) next = to;
  return next;
}
