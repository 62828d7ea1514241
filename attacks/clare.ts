/**
 * CLARE: replaces words, inserts words and merges two into one, whichever hurts most, each as a language model would write it.
 *
 * Threat: someone with scores, queries to spare and a masked language model: texts that grow and shrink as an editor's do.
 * Example: "a risky bet" -> "a dangerous bet", "a risky new bet", "a gamble"
 * Readable because: each word is the model's in its place; by default it is near in WordNet to what it replaces, a word put in
 * neither judges nor denies, and only words of one phrase are merged.
 * Paper: Dianqi Li, Yizhe Zhang, Hao Peng, Liqun Chen, Chris Brockett, Ming-Ting Sun and Bill Dolan, "Contextualized Perturbation for
 * Textual Adversarial Attack", NAACL 2021, section 3; https://arxiv.org/abs/2009.07502
 * Differs: the paper's distilled RoBERTa is a folder of yours (`--mlm`); without one n-grams of the texts under test guess, and the
 * constraints beside the result say which it was. As in TextAttack's recipe every action is scored anew each round, where
 * the paper ranks them once. Least probabilities are the recipe's (replace 0.0005, merge 0.005); its sentence encoder's
 * threshold of 0.9045 bounds our own measure, by words' rarity and WordNet, which takes merged words for lost. `candidates` is
 * 10 by default, not 50: each round asks them for every word.
 */
import {
  articlesAgree,
  beam,
  infilling,
  infillsFit,
  keepStopWords,
  meaningKept,
  mlmOption,
  noRepeat,
  presetAttack,
  z,
} from '../src/plugin.js';

const options = {
  mlm: mlmOption(),
  candidates: z.int().min(1).default(10).describe('guesses tried for each gap (TextAttack: 50)'),
  replace: z.boolean().default(true).describe('replace words'),
  insert: z.boolean().default(true).describe('insert words after others'),
  merge: z.boolean().default(true).describe('merge two words of a phrase into one'),
  similarity: z.number().min(0).max(1).default(0.9045).describe('minimum similarity of the texts (TextAttack: 0.9045)'),
};

/** Least probability of a guess, TextAttack's recipe. */
const LEAST = { replace: 5e-4, merge: 5e-3 } as const;

export const clare = presetAttack({
  name: 'clare',
  summary: 'Replaces, inserts and merges words as a masked language model would: "a risky bet" -> "a gamble".',
  paper: {
    title: 'Contextualized Perturbation for Textual Adversarial Attack',
    url: 'https://arxiv.org/abs/2009.07502',
  },
  options,
  words({ mlm, candidates, replace, insert, merge }) {
    const infills = [
      ...(replace ? (['replace'] as const) : []),
      ...(insert ? (['insert after'] as const) : []),
      ...(merge ? (['merge'] as const) : []),
    ];
    return infilling(infills, { limit: candidates, least: LEAST, mlm });
  },
  constraints: ({ similarity }) => [noRepeat, keepStopWords, meaningKept(similarity)],
  ours: [infillsFit(0.45), articlesAgree],
  search: () => beam(1),
});
