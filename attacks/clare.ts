/**
 * CLARE: replaces words, inserts words and merges two into one, whichever is most effective, with a language model's suggestions.
 *
 * Threat: someone with scores, many queries and a masked language model: texts grow and shrink as if edited by a person.
 * Example: "a risky bet" -> "a dangerous bet", "a risky new bet", "a gamble"
 * Readable because: each word is the model's suggestion for its place. By default it is close in WordNet to the word that it replaces and
 * praises or blames as that does, negations stay, inserted words come from a list without opinions ("recent", "also"), and only words of
 * one phrase are merged.
 * Paper: Dianqi Li, Yizhe Zhang, Hao Peng, Liqun Chen, Chris Brockett, Ming-Ting Sun and Bill Dolan, "Contextualized Perturbation for
 * Textual Adversarial Attack", NAACL 2021, section 3; https://arxiv.org/abs/2009.07502
 * Differs: the paper's distilled RoBERTa is your folder (`--language en:mlm=FOLDER`); without one, n-grams of the texts under test guess,
 * and the printed constraints say which was used. As in TextAttack's recipe, every action is scored again in each round; the paper ranks
 * them once. Minimum probabilities are the recipe's (replace 0.0005, merge 0.005). Its sentence encoder's threshold of 0.9045 applies to
 * our own measure, by word rarity and WordNet, which counts merged words as lost. `candidates` is 10 by default, not 50, because each round
 * tries them for every word.
 */
import { beam, infilling, infillsFit, meaningKept, mlmOption, presetAttack, z } from '../src/plugin.js';

const options = {
  mlm: mlmOption(),
  candidates: z.int().min(1).default(10).describe('guesses tried for each gap (TextAttack: 50)'),
  replace: z.boolean().default(true).describe('replace words'),
  insert: z.boolean().default(true).describe('insert words after others'),
  merge: z.boolean().default(true).describe('merge two words of a phrase into one'),
  similarity: z.number().min(0).max(1).default(0.9045).describe('minimum similarity of the texts (TextAttack: 0.9045)'),
};

/** Minimum probability of a guess, from TextAttack's recipe. */
const LEAST = { replace: 5e-4, merge: 5e-3 } as const;

export const clare = presetAttack({
  name: 'clare',
  summary: 'Replaces, inserts and merges words as a masked language model would: "a risky bet" -> "a gamble".',
  paper: {
    title: 'Contextualized Perturbation for Textual Adversarial Attack',
    url: 'https://arxiv.org/abs/2009.07502',
  },
  options,
  words({ mlm, candidates, replace, insert, merge }, lax) {
    const infills = [
      ...(replace ? (['replace'] as const) : []),
      ...(insert ? (['insert after'] as const) : []),
      ...(merge ? (['merge'] as const) : []),
    ];
    return infilling(infills, { limit: candidates, least: LEAST, fromList: !lax, mlm });
  },
  constraints: ({ similarity }) => [meaningKept(similarity)],
  ours: [infillsFit(0.45)],
  search: () => beam(1),
});
