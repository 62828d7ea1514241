/** @file Answers by vote over versions of a text. */
import { argmax } from '../core/argmax.js';
import type { Classifier } from '../core/classifier.js';

/** The label the victim gives each version. */
export const votes = async (versions: readonly string[], victim: Classifier): Promise<number[]> =>
  (await victim.classify(versions)).map((row) => argmax(row));

/** How many votes each of so many labels has. */
export function countVotes(given: readonly number[], labels: number): Int32Array {
  const counts = new Int32Array(labels);
  for (const label of given) counts[label]! += 1;
  return counts;
}

/** The share of each label: what a voting defence answers instead of probabilities. */
export const voteShares = (counts: Int32Array): Float32Array => {
  const all = counts.reduce((sum, n) => sum + n, 0);
  return Float32Array.from(counts, (n) => n / all);
};
