/**
 * Hard label: rewords a text for a model that tells nothing but its label: far over the boundary first, then back towards the text.
 *
 * Threat: someone who sees only the verdict, as with most services: published, blocked, sorted.
 * Example: "the movie is a risky bet" -> "the film is a dangerous bet" -> "the movie is a dangerous bet"
 * Readable because: each word changes into a synonym of the meaning meant, in the form the sentence needs; those that need not are
 * put back.
 * Paper: Rishabh Maheshwary, Saket Maheshwary and Vikram Pudi, "Generating Natural Language Attacks in a Hard Label Black Box
 * Setting", AAAI 2021, section 3; https://arxiv.org/abs/2012.14956
 * Differs: candidates are WordNet's where the paper takes counter-fitted neighbours, and the text is not bred further for
 * similarity by a sentence encoder: the fewest words changed win, among `crossings` tries. Words are changed one by one
 * until the label turns, where the paper changes a random 30 % at once.
 */
import { boundary, presetAttack, z } from '../src/plugin.js';

const options = {
  crossings: z.int().min(1).default(5).describe('random ways over the boundary tried; the shortest one back wins'),
};

export const hardLabel = presetAttack({
  name: 'hard-label',
  needs: 'labels',
  summary: 'Rewords a text by the labels alone: many synonyms first, then back to the few that matter.',
  paper: {
    title: 'Generating Natural Language Attacks in a Hard Label Black Box Setting',
    url: 'https://arxiv.org/abs/2012.14956',
  },
  options,
  search: ({ crossings }) => boundary(crossings),
});
