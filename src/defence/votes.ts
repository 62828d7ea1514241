/** @file Answers by vote over versions of a text. A version whose labels tie abstains. */
import type { Classifier } from '../core/classifier.js';
import { NO_LABEL, predictedLabel } from '../core/prediction.js';

/** The label the victim gives each version; NO_LABEL where it abstains. */
export const votes = async (versions: readonly string[], victim: Classifier): Promise<number[]> =>
  (await victim.classify(versions)).map((row) => predictedLabel(row));

/** Number of votes for each label. */
export function countVotes(given: readonly number[], labels: number): Int32Array {
  const counts = new Int32Array(labels);
  for (const label of given) if (label !== NO_LABEL) counts[label]! += 1;
  return counts;
}

/**
 * Share of each label among the versions, which a voting defence returns instead of probabilities. Abstentions count equally for all
 * labels, so shares sum to 1.
 */
export const voteShares = (counts: Int32Array, versions: number): Float32Array => {
  const abstained = versions - counts.reduce((sum, n) => sum + n, 0);
  return Float32Array.from(counts, (n) => (n + abstained / counts.length) / versions);
};
