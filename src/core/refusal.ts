/** @file An answer that is none of the labels: a victim that reads the text, and will not say. It turns no prediction. */

/** The row of a refusal: no probability, and told from that of a text which the victim failed on. */
export function refusal(labels: number): Float32Array {
  const row = new Float32Array(labels).fill(Number.NaN);
  row[1] = 0;
  return row;
}

export const isRefusal = (row: Float32Array): boolean => Number.isNaN(row[0]) && row[1] === 0;

/** Why an example is not attacked. */
export const REFUSED = 'the victim refused to answer the unedited text';
