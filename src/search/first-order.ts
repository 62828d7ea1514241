/** @file Finds the words that would increase the loss most, to first order: the arithmetic of HotFlip and of universal triggers. */
import type { WhiteBox } from '../core/classifier.js';
import { getOrCompute } from '../core/get-or-compute.js';
import { bestRows, type ScoredRow } from './best-rows.js';

const words = new WeakMap<Float32Array, Int32Array>();

/** Ids of vocabulary entries that are whole words of at least two letters, which can be inserted in a text unchanged. */
function wordIds(model: Pick<WhiteBox, 'hidden' | 'tokenText'>, table: Float32Array): Int32Array {
  const isWord = (id: number): boolean => /^\p{L}{2,}$/u.test(model.tokenText(id)?.trim() ?? '');
  return getOrCompute(words, table, () =>
    Int32Array.from({ length: table.length / model.hidden }, (_, id) => id).filter(isWord),
  );
}

/**
 * For each gradient, the `count` words whose embedding has the largest product with it (`score`), best first; ties go to the lower id.
 * Replacing entry u by v changes the loss by (E_v - E_u) . g to first order (Ebrahimi et al. 2018, equation 10; Wallace et al. 2019,
 * equation 2), and E_u . g is the same for all v.
 */
export async function firstOrder(
  model: Pick<WhiteBox, 'hidden' | 'embeddingTable' | 'tokenText' | 'tableProducts'>,
  gradients: readonly Float32Array[],
  count: number,
): Promise<ScoredRow[][]> {
  const table = await model.embeddingTable();
  return bestRows({ model, table, ids: wordIds(model, table), count }, gradients);
}
