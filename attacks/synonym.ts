/**
 * Synonym: puts synonyms for the words that matter most, each of the meaning meant, in the form the sentence needs.
 *
 * Threat: someone who rewords a text until it passes, with a dictionary and some taste; or simply another writer.
 * Example: "a risky film about two funny movies" -> "a dangerous film about two humorous movies"
 * Readable because: a synonym is offered for the meaning the word most likely has here, keeps number, tense and comparison, is
 * never an opposite, and never touches names, fixed expressions or words of grammar; at most one word in four.
 * Paper: none; the search is that of Jin et al. 2020 (https://arxiv.org/abs/1907.11932) with WordNet's synonyms.
 * Differs: from textfooler and pwws in who the result is for: they take any neighbour that fools the model. Candidates are
 * ranked by sense and by how well an n-gram model of the texts under test expects them there.
 */
import {
  greedy,
  inTurnOption,
  keepStopWords,
  maxFraction,
  noRepeat,
  presetAttack,
  rankingOption,
  rankings,
  swapSynonyms,
  z,
} from '../src/plugin.js';

const options = {
  maxFraction: z.number().gt(0).max(1).default(0.25).describe('largest share of the words that may be swapped'),
  candidates: z.int().min(1).default(10).describe('synonyms tried for each word, the best in context first'),
  ranking: rankingOption(),
  inTurn: inTurnOption(),
};

export const synonym = presetAttack({
  name: 'synonym',
  summary: 'Puts synonyms of the meaning meant, inflected, never an opposite: "great films" -> "great movies".',
  options,
  words: ({ candidates }) => swapSynonyms(candidates, true),
  constraints: ({ maxFraction: fraction }) => [noRepeat, keepStopWords, maxFraction(fraction)],
  search: ({ ranking, inTurn }) => greedy(rankings[ranking], inTurn),
});
