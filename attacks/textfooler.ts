/**
 * TextFooler: swaps the most important words for neighbours in word-vector space, while text and grammar stay similar.
 *
 * Threat: someone who sees scores and rewords a text with a thesaurus and a semantic similarity check.
 * Example: "the movie is a risky bet" -> "the movie is a dangerous bet"
 * Readable because: a word keeps its part of speech and is never replaced by an opposite; the whole text stays similar by our measure.
 * Paper: Di Jin, Zhijing Jin, Joey Tianyi Zhou and Peter Szolovits, "Is BERT Really Robust? A Strong Baseline for Natural Language Attack
 * on Text Classification and Entailment", AAAI 2020, section 3; https://arxiv.org/abs/1907.11932
 * Differs: the paper's counter-fitted vectors come from your file (`vectors`); without one, candidates are WordNet's, and the printed
 * constraints say so. The sentence encoder's threshold of 0.84 applies to our own similarity measure, by word rarity and WordNet. It
 * compares with the original text; the authors' code compares with the text before the edit.
 */
import {
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
  candidates: z.int().min(1).default(50).describe('replacements tried per word (paper: N = 50)'),
  vectors: vectorsOption(),
  cosine: z
    .number()
    .min(0)
    .max(1)
    .default(0.5)
    .describe('minimum similarity of two words (authors: 0.5; article: 0.7)'),
  similarity: z
    .number()
    .min(0)
    .max(1)
    .default(0.84)
    .describe('minimum similarity of the texts (TextAttack: 1 - 0.5 / pi)'),
};

export const textfooler = presetAttack({
  name: 'textfooler',
  summary:
    'Swaps words for neighbours by vectors or WordNet, keeping part of speech and similarity: "risky" -> "dangerous".',
  paper: {
    title: 'Is BERT Really Robust? A Strong Baseline for Natural Language Attack on Text Classification and Entailment',
    url: 'https://arxiv.org/abs/1907.11932',
  },
  options,
  words: ({ vectors, candidates, cosine }, lax) => nearWords(vectors, candidates, cosine, lax),
  constraints: ({ vectors, cosine, similarity }) => [
    samePartOfSpeech(true),
    wordsAlike(cosine, vectorsAt(vectors)),
    meaningKept(similarity),
  ],
  ranking: 'delete',
});
