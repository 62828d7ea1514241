/**
 * Random search: a hundred random synonym substitutions, as a control for better searches.
 *
 * Threat: no particular attacker: writers reword, and one of a hundred rewrites may be misclassified.
 * Example: "a risky film about two funny movies" -> "a dangerous film about two humorous movies"
 * Readable because: each word changes into a synonym of the intended meaning, correctly inflected; never an opposite.
 * Paper: none; the random baseline of Jin Yong Yoo, John Morris, Eli Lifland and Yanjun Qi 2020, "Searching for a
 * Search Method: Benchmarking Search Algorithms for Generating NLP Adversarial Examples", https://aclanthology.org/2020.blackboxnlp-1.30
 * Differs: theirs shuffles the order of the words and still takes the best synonym of each (`ranking=random` of the attack synonym). This
 * one ignores scores and only checks whether the prediction flipped. The number of changed words is also random.
 */
import { presetAttack, randomSearch as search, z } from '../src/plugin.js';

const options = { tries: z.int().min(1).default(100).describe('rewrites drawn') };

export const randomSearch = presetAttack({
  name: 'random-search',
  needs: 'labels',
  summary:
    'Substitutes random synonyms a hundred times, as a control for other searches: "a risky bet" -> "a dangerous bet".',
  options,
  search: ({ tries }) => search(tries),
});
