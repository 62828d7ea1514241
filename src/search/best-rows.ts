/**
 * @file Finds the rows of an embedding table with the highest scores against some vectors. If the victim offers products in single
 * precision, they preselect the possible rows, which are then scored in double precision. The result equals that of scoring all rows.
 */
import type { WhiteBox } from '../core/classifier.js';
import { getOrCompute } from '../core/get-or-compute.js';

export interface ScoredRow {
  readonly id: number;
  readonly score: number;
}

export interface RowSearch {
  readonly model: Pick<WhiteBox, 'hidden' | 'tableProducts'>;
  /** Row-major [vocabulary, hidden]. */
  readonly table: Float32Array;
  /** Rows to choose from, ascending. */
  readonly ids: Int32Array;
  /** Number of rows per vector. */
  readonly count: number;
  /** Score of a row, from its product with the vector. @default the product */
  readonly score?: (product: number, id: number) => number;
  /** Maximum change of the score per unit change of the product. @default 1 */
  readonly slope?: number;
}

/** Products requested per call: 4 MB. */
const PRODUCTS_PER_CALL = 2 ** 20;

/** The `count` best rows for each vector, best first; ties go to the lower id. */
export async function bestRows(search: RowSearch, vectors: readonly Float32Array[]): Promise<ScoredRow[][]> {
  const { model, table, ids } = search;
  const rows = table.length / model.hidden;
  const step = Math.max(1, Math.floor(PRODUCTS_PER_CALL / rows));
  const found: ScoredRow[][] = [];
  for (let from = 0; from < vectors.length; from += step) {
    const some = vectors.slice(from, from + step);
    const products = await model.tableProducts?.(concatenate(some, model.hidden));
    some.forEach((vector, at) => {
      const near = products && possible(search, vector, products.subarray(at * rows, (at + 1) * rows));
      found.push(exactly(search, vector, near ?? ids));
    });
  }
  return found;
}

function concatenate(vectors: readonly Float32Array[], hidden: number): Float32Array {
  const all = new Float32Array(vectors.length * hidden);
  vectors.forEach((vector, at) => {
    all.set(vector, at * hidden);
  });
  return all;
}

/** Largest row norm of a table. */
const largest = new WeakMap<Float32Array, number>();

function largestNorm(table: Float32Array, hidden: number): number {
  let most = 0;
  for (let row = 0; row < table.length; row += hidden) most = Math.max(most, norm(table, row, row + hidden));
  return most;
}

function norm(values: Float32Array, from: number, to: number): number {
  let square = 0;
  for (let k = from; k < to; k++) square += values[k]! ** 2;
  return Math.sqrt(square);
}

/**
 * Ids that may be among the best: their score is below the count-th best by no more than rounding can explain. A product of n terms in
 * single precision is off by at most n 2^-24 / (1 - n 2^-24) |v| |row|, in any order of addition (Higham, Accuracy and Stability of
 * Numerical Algorithms, section 3.1); twice that is allowed. Undefined if that bound, or a score, is not a number.
 */
function possible(
  { model, table, ids, count, score = (product) => product, slope = 1 }: RowSearch,
  vector: Float32Array,
  products: Float32Array,
): Int32Array | undefined {
  const { hidden } = model;
  const error =
    hidden * 2 ** -23 * norm(vector, 0, hidden) * getOrCompute(largest, table, () => largestNorm(table, hidden));
  if (!Number.isFinite(error) || ids.length <= count) return undefined;
  const scores = new Float64Array(ids.length);
  let known = true;
  for (let at = 0; at < ids.length; at++) {
    const id = ids[at]!;
    scores[at] = score(products[id]!, id);
    known &&= !Number.isNaN(scores[at]);
  }
  if (!known) return undefined;
  const least = largestBut(scores.slice(), count - 1) - 2 * slope * error;
  return ids.filter((_, at) => scores[at]! >= least);
}

/** The (`larger` + 1)-th largest value, found by partial sorting (Hoare's FIND), which is ten times cheaper than sorting. */
function largestBut(values: Float64Array, larger: number): number {
  let [low, high] = [0, values.length - 1];
  while (low < high) {
    const [left, right] = partition(values, low, high, values[larger]!);
    if (larger > right) low = left;
    if (larger < left) high = right;
  }
  return values[larger]!;
}

/** Moves values above the pivot before those below it, within [low, high]; returns where the second part begins and the first ends. */
function partition(values: Float64Array, low: number, high: number, pivot: number): readonly [number, number] {
  let [left, right] = [low, high];
  while (left <= right) {
    while (values[left]! > pivot) left++;
    while (values[right]! < pivot) right--;
    if (left > right) break;
    [values[left], values[right]] = [values[right]!, values[left]!];
    left++;
    right--;
  }
  return [left, right];
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
    for (let k = 0, row = id * hidden; k < hidden; k++) product += vector[k]! * table[row + k]!;
    scored.push({ id, score: score(product, id) });
  }
  return scored.sort((a, b) => b.score - a.score || a.id - b.id).slice(0, count);
}
