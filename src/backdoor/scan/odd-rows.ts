/**
 * @file Rows of the embedding table unlike the others, by length or by direction: where only one row was trained to plant a backdoor
 * (embedding poisoning without keeping the norm), it may show without any text. Where the norm is kept, and in small models,
 * where words of opinion have long rows by nature, it mostly does not: a hint beside the verdict, no part of it.
 */
import type { WhiteBox } from '../../core/classifier.js';
import { rowNorm } from '../../core/row-norm.js';
import type { OddRow } from '../../results/backdoor/backdoor-findings.js';

/** Maximum number of reported rows. */
const MAX_ROWS = 5;
/** A robust z-score that one row in a million of a normal table would have: tables have some ten thousand rows. */
const MIN_Z_SCORE = 5;

/** O(rows * hidden). */
export async function oddRows(model: WhiteBox): Promise<OddRow[]> {
  const table = await model.embeddingTable();
  const { hidden } = model;
  const ids = Array.from({ length: table.length / hidden }, (_, id) => id).filter(
    (id) => model.tokenText(id) !== undefined,
  );
  const row = (id: number): Float32Array => table.subarray(id * hidden, (id + 1) * hidden);
  const mean = new Float64Array(hidden);
  for (const id of ids)
    row(id).forEach((x, k) => {
      mean[k]! += x / ids.length;
    });
  const norms = ids.map((id) => rowNorm(table, hidden, id));
  const meanNorm = Math.hypot(...mean) || 1;
  const cosines = ids.map(
    (id, at) => row(id).reduce((sum, x, k) => sum + x * mean[k]!, 0) / ((norms[at] || 1) * meanNorm),
  );
  const odd = (values: readonly number[], sign: OddRow['sign']): OddRow[] =>
    robust(values).flatMap((z, at) =>
      Math.abs(z) > MIN_Z_SCORE ? [{ token: model.tokenText(ids[at]!)!.trim(), sign, z }] : [],
    );
  return [...odd(norms, 'norm'), ...odd(cosines, 'direction')]
    .sort((a, b) => Math.abs(b.z) - Math.abs(a.z))
    .slice(0, MAX_ROWS);
}

/** Deviations from the median, in units of 1.4826 times their median. */
function robust(values: readonly number[]): number[] {
  const median = (list: readonly number[]): number => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
  const centre = median(values);
  const spread = 1.4826 * median(values.map((value) => Math.abs(value - centre)));
  return values.map((value) => (spread === 0 ? 0 : (value - centre) / spread));
}
