/** @file Answers by vote over versions of a text. */
import { argmax } from '../core/argmax.js';
import type { Classifier } from '../core/classifier.js';

/** How many of the versions the victim gives each label. */
export async function votesOf(versions: readonly string[], victim: Classifier): Promise<Int32Array> {
  const votes = new Int32Array(victim.labels.length);
  for (const row of await victim.classify(versions)) votes[argmax(row)]! += 1;
  return votes;
}

/** The share of each label: what a voting defence answers instead of probabilities. */
export const shares = (votes: Int32Array): Float32Array => {
  const all = votes.reduce((sum, n) => sum + n, 0);
  return Float32Array.from(votes, (n) => n / all);
};
