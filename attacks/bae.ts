/**
 * BAE: masks the most important words and replaces them by a language model's suggestions, or inserts suggestions next to them.
 *
 * Threat: someone with scores and a masked language model, whose rewrites read fluently whatever they mean.
 * Example: "the movie is a risky bet" -> "the movie is a dangerous bet"; `mode=insert` "a risky bet" -> "a very risky bet"
 * Readable because: a word keeps its part of speech, and its replacement is close in WordNet and judges as it does; inserted words come
 * from a list without opinions. The paper does not require this, although a language model may suggest "terrible" for "great".
 * Paper: Siddhant Garg and Goutham Ramakrishnan, "BAE: BERT-based Adversarial Examples for Text Classification", EMNLP 2020, section 3;
 * https://aclanthology.org/2020.emnlp-main.498
 * Differs: the paper's BERT is your folder (`--language en:mlm=FOLDER`); without one, n-grams of the texts under test guess, which is much
 * weaker, and the printed constraints say which was used. The first 50 whole words count; the paper removes sub-words from the first 50
 * entries. Its sentence encoder's threshold of 0.936 (TextAttack: 1 - 0.2 / pi) applies to our own measure, by word rarity and WordNet.
 * `mode=replace-insert` takes the better of both at each word (BAE-R/I); inserted words count as an edit of the adjacent word.
 */
import { infillModes } from '../src/language/masked-lm-edits.js';
import { infilling, infillsFit, meaningKept, mlmOption, presetAttack, samePartOfSpeech, z } from '../src/plugin.js';

const options = {
  mlm: mlmOption(),
  mode: z
    .enum(['replace', 'insert', 'replace-insert'])
    .default('replace')
    .describe('edit at a word: BAE-R, BAE-I or BAE-R/I'),
  candidates: z.int().min(1).default(50).describe('guesses tried for each gap (paper: 50)'),
  similarity: z.number().min(0).max(1).default(0.936).describe('minimum similarity of the texts (TextAttack: 0.936)'),
};

export const bae = presetAttack({
  name: 'bae',
  summary: 'Replaces important words by suggestions of a masked language model: "risky" -> "dangerous".',
  paper: {
    title: 'BAE: BERT-based Adversarial Examples for Text Classification',
    url: 'https://aclanthology.org/2020.emnlp-main.498',
  },
  options,
  words: ({ mlm, mode, candidates }, lax) => infilling(infillModes[mode], { limit: candidates, fromList: !lax, mlm }),
  // An inserted word can change the part of speech at the beginning of its slot.
  constraints: ({ mode, similarity }) => [
    ...(mode === 'replace' ? [samePartOfSpeech(true)] : []),
    meaningKept(similarity),
  ],
  ours: [infillsFit(0.45)],
  ranking: 'delete',
});
