/**
 * Hard label: rewords a text for a model that returns only its label: far over the boundary first, then back towards the text.
 *
 * Threat: someone who sees only the decision, as with most services: published, blocked, sorted.
 * Example: "the movie is a risky bet" -> "the film is a dangerous bet" -> "the movie is a dangerous bet"
 * Readable because: each word changes into a synonym of the intended meaning, correctly inflected; words that need not change are restored.
 * Paper: Rishabh Maheshwary, Saket Maheshwary and Vikram Pudi, "Generating Natural Language Attacks in a Hard Label Black Box Setting",
 * AAAI 2021, section 3; https://arxiv.org/abs/2012.14956
 * Differs: candidates are WordNet's instead of counter-fitted neighbours. The text is not optimised further for similarity by a sentence
 * encoder: the attempt with the fewest changed words wins, among `crossings`. Words are changed one by one until the label flips; the paper
 * changes a random 30 % at once.
 */
import { boundary, isolate, presetAttack, z } from '../src/plugin.js';

const options = {
  crossings: z
    .int()
    .min(1)
    .default(5)
    .describe('random crossings of the boundary; the one with the fewest changed words wins'),
};

export const hardLabel = presetAttack({
  name: 'hard-label',
  needs: 'labels',
  summary: 'Rewords a text using labels only: many synonyms first, then only those that are necessary.',
  paper: {
    title: 'Generating Natural Language Attacks in a Hard Label Black Box Setting',
    url: 'https://arxiv.org/abs/2012.14956',
  },
  options,
  search: ({ crossings }) => ({ ...boundary(crossings), byLabels: isolate }),
});
