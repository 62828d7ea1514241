/** @file Which words would raise the loss most, to first order: the arithmetic of HotFlip and of universal triggers. */
import type { WhiteBox } from '../core/classifier.js';

const words = new WeakMap<Float32Array, Int32Array>();

/** Ids of the vocabulary entries that are whole words of at least two letters: what may stand in a text as it is. */
export function wordIds(model: Pick<WhiteBox, 'hidden' | 'tokenText'>, table: Float32Array): Int32Array {
  let ids = words.get(table);
  if (ids === undefined) {
    const all = Array.from({ length: table.length / model.hidden }, (_, id) => id);
    ids = Int32Array.from(all.filter((id) => /^\p{L}{2,}$/u.test(model.tokenText(id)?.trim() ?? '')));
    words.set(table, ids);
  }
  return ids;
}

/**
 * The `count` ids whose embedding has the largest product with a gradient, best first; ties to the lower id. Putting entry v
 * where u stood changes the loss by (E_v - E_u) . g to first order (Ebrahimi et al. 2018, equation 10; Wallace et al. 2019,
 * equation 2), and E_u . g is the same for all v. O(ids * hidden).
 */
export function firstOrder(
  gradient: Float32Array,
  table: Float32Array,
  ids: Int32Array,
  count: number,
): { id: number; gain: number }[] {
  const hidden = gradient.length;
  const best: { id: number; gain: number }[] = [];
  for (const id of ids) {
    let gain = 0;
    for (let k = 0, row = id * hidden; k < hidden; k++) gain += (gradient[k] as number) * (table[row + k] as number);
    if (best.length === count && gain <= (best.at(-1) as { gain: number }).gain) continue;
    let at = best.length;
    while (at > 0 && (best[at - 1] as { gain: number }).gain < gain) at--;
    best.splice(at, 0, { id, gain });
    if (best.length > count) best.pop();
  }
  return best;
}
