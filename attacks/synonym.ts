/**
 * Synonym: replaces the most important words by synonyms of the intended meaning, correctly inflected.
 *
 * Threat: someone who rewords a text until it passes, with a dictionary and good taste; or simply another writer.
 * Example: "a risky film about two funny movies" -> "a dangerous film about two humorous movies"
 * Readable because: a synonym matches the word's most probable meaning here, keeps number, tense and comparison, and is never an opposite.
 * Names, fixed expressions and function words stay; at most one word in four changes.
 * Paper: none; the search is that of Jin et al. 2020 (https://arxiv.org/abs/1907.11932) with WordNet's synonyms.
 * Differs: from textfooler and pwws, which accept any neighbour that fools the model: the result is for human readers.
 * Candidates are ranked by meaning and by how well an n-gram model of the texts under test expects them.
 */
import { maxFraction, presetAttack, swapSynonyms, z } from '../src/plugin.js';

const options = {
  maxFraction: z.number().gt(0).max(1).default(0.25).describe('largest share of the words that may be swapped'),
  candidates: z.int().min(1).default(10).describe('synonyms tried for each word, the best in context first'),
};

export const synonym = presetAttack({
  name: 'synonym',
  summary:
    'Swaps words for synonyms of the intended meaning, inflected, never an opposite: "great films" -> "great movies".',
  options,
  words: ({ candidates }) => swapSynonyms(candidates, true),
  constraints: ({ maxFraction: fraction }) => [maxFraction(fraction)],
});
