/**
 * BAE: masks the words that matter most and takes what a language model would have written there; or adds its words beside them.
 *
 * Threat: someone with scores and a masked language model, whose rewordings read fluently whatever they come to mean.
 * Example: "the movie is a risky bet" -> "the movie is a dangerous bet"; `mode=insert` "a risky bet" -> "a very risky bet"
 * Readable because: a word keeps its part of speech, and what replaces it is near in WordNet, which the paper does not ask for: a
 * language model likes "terrible" where "great" stood.
 * Paper: Siddhant Garg and Goutham Ramakrishnan, "BAE: BERT-based Adversarial Examples for Text Classification", EMNLP 2020,
 * section 3; https://aclanthology.org/2020.emnlp-main.498
 * Differs: the paper's BERT is a folder of yours (`--mlm`); without one n-grams of the texts under test guess, which is much
 * less, and the constraints beside the result say which it was. The first 50 whole words count, where the paper drops
 * sub-words from the first 50 entries. Its sentence encoder's threshold of 0.936 (TextAttack: 1 - 0.2 / pi) bounds our
 * own measure, by words' rarity and WordNet. `mode=replace-insert` takes the better of both at each word, its BAE-R/I; words
 * put in stand beside the word they were found for, which counts as edited.
 */
import {
  articlesAgree,
  greedy,
  infilling,
  infillModes,
  infillsFit,
  inTurnOption,
  keepStopWords,
  meaningKept,
  mlmOption,
  noRepeat,
  presetAttack,
  rankingOption,
  rankings,
  samePartOfSpeech,
  z,
} from '../src/plugin.js';

const options = {
  mlm: mlmOption(),
  mode: z
    .enum(['replace', 'insert', 'replace-insert'])
    .default('replace')
    .describe('what is done at a word: BAE-R, BAE-I or BAE-R/I'),
  candidates: z.int().min(1).default(50).describe('guesses tried for each gap (paper: 50)'),
  similarity: z.number().min(0).max(1).default(0.936).describe('minimum similarity of the texts (TextAttack: 0.936)'),
  ranking: rankingOption('delete'),
  inTurn: inTurnOption(),
};

export const bae = presetAttack({
  name: 'bae',
  summary: 'Puts what a masked language model expects for the words that matter: "risky" -> "dangerous".',
  paper: {
    title: 'BAE: BERT-based Adversarial Examples for Text Classification',
    url: 'https://aclanthology.org/2020.emnlp-main.498',
  },
  options,
  words: ({ mlm, mode, candidates }) => infilling(infillModes[mode], { limit: candidates, mlm }),
  // A word put in changes the part of speech its slot begins with.
  constraints: ({ mode, similarity }) => [
    noRepeat,
    keepStopWords,
    ...(mode === 'replace' ? [samePartOfSpeech(true)] : []),
    meaningKept(similarity),
  ],
  ours: [infillsFit(0.45), articlesAgree],
  search: ({ ranking, inTurn }) => greedy(rankings[ranking], inTurn),
});
