/** @file Refusals: the victim read the text and declined to choose a label. A refusal flips no prediction. */

/** Row of a refusal: no probability. It differs from the row of a text that failed. */
export function refusal(labels: number): Float32Array {
  const row = new Float32Array(labels).fill(Number.NaN);
  row[1] = 0;
  return row;
}

export const isRefusal = (row: Float32Array): boolean => Number.isNaN(row[0]) && row[1] === 0;

/** Reason to skip an example. */
export const REFUSED = 'the victim refused to answer the unedited text';
