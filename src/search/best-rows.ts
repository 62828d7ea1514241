/**
 * @file The rows of an embedding table with the highest scores against some vectors. Where the victim multiplies for us, in single
 * precision, its products say which rows can be among the best; these are scored again in double precision, so that the rows
 * and their scores are the same as if all had been.
 */
import type { WhiteBox } from '../core/classifier.js';

export interface ScoredRow {
  readonly id: number;
  readonly score: number;
}

export interface RowSearch {
  readonly model: Pick<WhiteBox, 'hidden' | 'tableProducts'>;
  /** Row-major [vocabulary, hidden]. */
  readonly table: Float32Array;
  /** The rows to choose from, ascending. */
  readonly ids: Int32Array;
  /** Rows wanted of each vector. */
  readonly count: number;
  /** The score of a row by its product with the vector. @default the product */
  readonly score?: (product: number, id: number) => number;
  /** By how much the score changes at most where the product changes by 1. @default 1 */
  readonly slope?: number;
}

/** Products asked for at once: 16 MB. */
const PRODUCTS_PER_CALL = 2 ** 22;

/** The `count` best rows for each vector, best first; ties to the lower id. */
export async function bestRows(search: RowSearch, vectors: readonly Float32Array[]): Promise<ScoredRow[][]> {
  const { model, table, ids } = search;
  const rows = table.length / model.hidden;
  const step = Math.max(1, Math.floor(PRODUCTS_PER_CALL / rows));
  const found: ScoredRow[][] = [];
  for (let from = 0; from < vectors.length; from += step) {
    const some = vectors.slice(from, from + step);
    const products = await model.tableProducts?.(joined(some, model.hidden));
    some.forEach((vector, at) => {
      const near = products && possible(search, vector, products.subarray(at * rows, (at + 1) * rows));
      found.push(exactly(search, vector, near ?? ids));
    });
  }
  return found;
}

function joined(vectors: readonly Float32Array[], hidden: number): Float32Array {
  const all = new Float32Array(vectors.length * hidden);
  vectors.forEach((vector, at) => {
    all.set(vector, at * hidden);
  });
  return all;
}

/** Largest norm of a table's rows. */
const largest = new WeakMap<Float32Array, number>();

function largestNorm(table: Float32Array, hidden: number): number {
  let most = largest.get(table);
  if (most === undefined) {
    most = 0;
    for (let row = 0; row < table.length; row += hidden) most = Math.max(most, norm(table, row, row + hidden));
    largest.set(table, most);
  }
  return most;
}

function norm(values: Float32Array, from: number, to: number): number {
  let square = 0;
  for (let k = from; k < to; k++) square += (values[k] as number) ** 2;
  return Math.sqrt(square);
}

/**
 * The ids that may be among the best: those whose score lies no further below the count-th best than rounding can explain. A product
 * of n terms in single precision is off by at most n 2^-24 / (1 - n 2^-24) |v| |row|, in whatever order they are added (Higham, Accuracy
 * and Stability of Numerical Algorithms, section 3.1); twice that is allowed. Undefined where that bound, or a score, is no number.
 */
function possible(
  { model, table, ids, count, score = (product) => product, slope = 1 }: RowSearch,
  vector: Float32Array,
  products: Float32Array,
): Int32Array | undefined {
  const { hidden } = model;
  const error = hidden * 2 ** -23 * norm(vector, 0, hidden) * largestNorm(table, hidden);
  if (!Number.isFinite(error) || ids.length <= count) return undefined;
  const scores = new Float64Array(ids.length);
  let known = true;
  for (let at = 0; at < ids.length; at++) {
    const id = ids[at] as number;
    scores[at] = score(products[id] as number, id);
    known &&= !Number.isNaN(scores[at]);
  }
  if (!known) return undefined;
  const least = largestBut(scores.slice(), count - 1) - 2 * slope * error;
  return ids.filter((_, at) => (scores[at] as number) >= least);
}

/** The largest value but for `larger` ones, whose order is lost (Hoare's FIND: sorting all of them would cost ten times as much). */
function largestBut(values: Float64Array, larger: number): number {
  let [low, high] = [0, values.length - 1];
  while (low < high) {
    const pivot = values[larger] as number;
    let [left, right] = [low, high];
    while (left <= right) {
      while ((values[left] as number) > pivot) left++;
      while ((values[right] as number) < pivot) right--;
      if (left > right) break;
      [values[left], values[right]] = [values[right] as number, values[left] as number];
      left++;
      right--;
    }
    if (larger > right) low = left;
    if (larger < left) high = right;
  }
  return values[larger] as number;
}

function exactly(
  { model, table, count, score = (product) => product }: RowSearch,
  vector: Float32Array,
  ids: Int32Array,
): ScoredRow[] {
  const { hidden } = model;
  const scored: ScoredRow[] = [];
  for (const id of ids) {
    let product = 0;
    for (let k = 0, row = id * hidden; k < hidden; k++) product += (vector[k] as number) * (table[row + k] as number);
    scored.push({ id, score: score(product, id) });
  }
  return scored.sort((a, b) => b.score - a.score || a.id - b.id).slice(0, count);
}
