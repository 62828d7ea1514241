/**
 * Alzantot's genetic attack: evolves a population of rewrites until one flips the prediction.
 *
 * Threat: someone with many queries: it is slower than a greedy search and finds successes that greedy misses.
 * Example: "the movie is a risky bet" -> "the film is a dangerous bet"
 * Readable because: at most one word in five changes, each into a synonym of the intended meaning, correctly inflected.
 * Paper: Moustafa Alzantot, Yash Sharma, Ahmed Elgohary, Bo-Jhang Ho, Mani Srivastava and Kai-Wei Chang, "Generating Natural
 * Language Adversarial Examples", EMNLP 2018, section 3; https://aclanthology.org/D18-1316
 * Differs: the paper takes the 8 nearest words by counter-fitted vectors (your file: `vectors`) and keeps the 4 that a
 * language model of a billion words prefers. Without a file, candidates are WordNet's, ranked by meaning and by n-grams of
 * the data set. Parents are drawn as in the paper; TextAttack's recipe prefers less fit parents.
 */
import { genetic, maxFraction, nearWords, presetAttack, vectorsOption, z } from '../src/plugin.js';

const options = {
  population: z.int().min(2).default(60).describe('size of the population (paper: 60)'),
  generations: z.int().min(1).default(20).describe('generations (paper: 20)'),
  candidates: z.int().min(1).default(8).describe('replacements tried per word (paper: 8)'),
  vectors: vectorsOption(),
  maxFraction: z.number().gt(0).max(1).default(0.2).describe('largest share of the words swapped (paper: 0.2)'),
};

export const alzantot = presetAttack({
  name: 'alzantot',
  summary: 'Evolves rewrites by a genetic algorithm with many queries: "a risky bet" -> "a dangerous bet".',
  paper: { title: 'Generating Natural Language Adversarial Examples', url: 'https://aclanthology.org/D18-1316' },
  options,
  words: ({ vectors, candidates }, lax) => nearWords(vectors, candidates, 0.5, lax),
  constraints: ({ maxFraction: fraction }) => [maxFraction(fraction)],
  search: ({ population, generations }) => genetic({ population, generations }),
});
