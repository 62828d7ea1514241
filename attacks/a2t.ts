/**
 * A2T: swaps a few words for similar ones in gradient order, cheaply enough for adversarial training.
 *
 * Threat: someone with access to the weights who rewords a text with a handful of queries.
 * Example: "the movie is a risky bet" -> "the movie is a dangerous bet"
 * Readable because: at most one word in ten changes, into one of the same part of speech and near in meaning, never an opposite.
 * Paper: Jin Yong Yoo and Yanjun Qi, "Towards Improving Adversarial Training of NLP Models", EMNLP Findings 2021, section 3;
 * https://arxiv.org/abs/2109.00544
 * Differs: the paper's counter-fitted vectors come from your file (`vectors`); without one, candidates are WordNet's. Its sentence
 * encoder's threshold of 0.9 applies to our own measure, by word rarity and WordNet. Sub-word gradients are summed; the paper averages
 * them.
 */
import {
  byGradient,
  greedy,
  maxFraction,
  meaningKept,
  nearWords,
  presetAttack,
  samePartOfSpeech,
  vectorsAt,
  vectorsOption,
  wordsAlike,
  z,
} from '../src/plugin.js';

const options = {
  candidates: z.int().min(1).default(20).describe('replacements tried per word (paper: 20)'),
  vectors: vectorsOption(),
  cosine: z.number().min(0).max(1).default(0.8).describe('minimum similarity of two words (paper: 0.8)'),
  similarity: z.number().min(0).max(1).default(0.9).describe('minimum similarity of the texts (paper: 0.9)'),
  maxFraction: z.number().gt(0).max(1).default(0.1).describe('largest share of the words swapped (paper: 0.1)'),
};

export const a2t = presetAttack({
  name: 'a2t',
  needs: 'gradients',
  summary: 'Swaps a few near words, the steepest by the gradient first: "a risky bet" -> "a dangerous bet".',
  paper: { title: 'Towards Improving Adversarial Training of NLP Models', url: 'https://arxiv.org/abs/2109.00544' },
  options,
  words: ({ vectors, candidates, cosine }, lax) => nearWords(vectors, candidates, cosine, lax),
  constraints: ({ maxFraction: fraction, vectors, cosine, similarity }) => [
    maxFraction(fraction),
    samePartOfSpeech(),
    wordsAlike(cosine, vectorsAt(vectors)),
    meaningKept(similarity),
  ],
  search: () => greedy(byGradient),
});
