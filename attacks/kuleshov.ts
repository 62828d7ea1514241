/**
 * Kuleshov's greedy attack: repeatedly makes the most effective of all word replacements, while the text stays probable and its mean vector
 * close.
 *
 * Threat: someone with scores and many queries, who wants a text that a language model finds ordinary.
 * Example: "the movie is a risky bet" -> "the movie is a dangerous bet"
 * Readable because: meaning and probability bound each step; by default replacements are synonyms of the intended meaning, correctly
 * inflected.
 * Paper: Volodymyr Kuleshov, Shantanu Thakoor, Tingfung Lau and Stefano Ermon, "Adversarial Examples for Natural Language Classification
 * Problems", 2018, algorithm 1 and section 5; https://openreview.net/forum?id=r1QZ3zbAZ
 * Differs: the paper's vectors come from your file (`vectors`); without one, candidates are WordNet's. `similarity` by our own measure
 * replaces the distance of mean vectors. Its language model is a trigram model of large corpora; ours is trained on the texts under test,
 * so the bound is looser than its 2 nats, and one-sided: a more probable text is acceptable. The paper continues until the wrong label has
 * a probability of 0.7; here a flipped prediction is enough, as in all other attacks.
 */
import {
  beam,
  likelihoodKept,
  maxFraction,
  meaningKept,
  nearWords,
  presetAttack,
  vectorsOption,
  z,
} from '../src/plugin.js';

const options = {
  candidates: z.int().min(1).default(15).describe('replacements tried per word (paper: N = 15)'),
  vectors: vectorsOption(),
  similarity: z.number().min(0).max(1).default(0.8).describe('minimum similarity of the texts'),
  nats: z.number().min(0).default(15).describe('largest loss of log-probability (paper, other model: 2)'),
  maxFraction: z.number().gt(0).max(1).default(0.5).describe('largest share of the words swapped (paper: 0.5)'),
};

export const kuleshov = presetAttack({
  name: 'kuleshov',
  summary: 'Repeatedly swaps the most effective word while the text stays probable: "risky" -> "dangerous".',
  paper: {
    title: 'Adversarial Examples for Natural Language Classification Problems',
    url: 'https://openreview.net/forum?id=r1QZ3zbAZ',
  },
  options,
  words: ({ vectors, candidates }, lax) => nearWords(vectors, candidates, 0, lax),
  constraints: ({ maxFraction: fraction, similarity, nats }) => [
    maxFraction(fraction),
    meaningKept(similarity),
    likelihoodKept(nats),
  ],
  search: () => beam(1),
});
