/**
 * Random search: synonyms put in blindly, a hundred times; what any cleverer search over them has to beat.
 *
 * Threat: nobody in particular: writers reword, and among a hundred rewordings one may be misread.
 * Example: "a risky film about two funny movies" -> "a dangerous film about two humorous movies"
 * Readable because: each word changes into a synonym of the meaning meant, in the form the sentence needs; never an opposite.
 * Paper: none of its own; the random baseline of Jin Yong Yoo, John Morris, Eli Lifland and Yanjun Qi 2020, "Searching for a Search
 * Method: Benchmarking Search Algorithms for Generating NLP Adversarial Examples", https://aclanthology.org/2020.blackboxnlp-1.30
 * Differs: theirs shuffles the order of the words and still takes the best synonym of each (`ranking=random` of the attack synonym);
 * this one does not look at scores at all, only at whether the prediction turned. How many words change is drawn too.
 */
import { presetAttack, randomSearch as search, z } from '../src/plugin.js';

const options = {
  tries: z.int().min(1).default(100).describe('rewrites drawn'),
};

export const randomSearch = presetAttack({
  name: 'random-search',
  needs: 'labels',
  summary: 'Puts synonyms in blindly, a hundred times: what a search has to beat. "a risky bet" -> "a dangerous bet".',
  options,
  search: ({ tries }) => search(tries),
});
