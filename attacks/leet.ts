/**
 * Leet: writes letters as digits and signs that look like them.
 *
 * Threat: users who evade a word list, by habit or for fun: "1d10t".
 * Example: "an idiot" -> "an id!ot", "an !d!0t"
 * Readable because: the signs were chosen for their shape, and readers recognise the letters at once (M. Perea, J. A.
 * Duñabeitia and M. Carreiras, "R34D1NG W0RD5 W1TH NUMB3R5", JEP: Human Perception and Performance 34(1), 2008). Words that
 * contain a digit are left alone, because a replacement would change the number.
 * Paper: Steffen Eger et al., "Text Processing Like Humans Do: Visually Attacking and Shielding NLP Systems", NAACL 2019
 * (VIPER); https://arxiv.org/abs/1903.11508
 * Differs: VIPER replaces each letter with a fixed probability by one of many look-alikes; here the replacements are those
 * of common leet spelling, one letter or all vowels, in the most important words, at most one in four.
 */
import { graphemesOf, leetSigns, letterAttack, substituted } from '../src/plugin.js';

function* rewrites(word: string): Iterable<string> {
  if (/\p{N}/u.test(word)) return;
  const letters = graphemesOf(word);
  for (const [at, letter] of letters.entries()) {
    for (const sign of leetSigns(letter)) yield substituted(letters, at, sign);
  }
  const vowel = /^[aeiou]$/i;
  yield letters.map((letter) => (vowel.test(letter) ? leetSigns(letter).at(-1) : undefined) ?? letter).join('');
}

export const leet = letterAttack({
  name: 'leet',
  summary: 'Writes letters as digits and signs that look like them: "idiot" -> "1d10t".',
  paper: {
    title: 'Text Processing Like Humans Do: Visually Attacking and Shielding NLP Systems',
    url: 'https://arxiv.org/abs/1903.11508',
  },
  readers: ['person', 'language model'],
  edit: 'letters as digits and signs',
  rewrites,
  quarter: 'rewritten',
  letters: 3,
  stopWordsKept: true,
});
