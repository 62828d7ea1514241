/**
 * Bidi: stores letters in another order, which direction controls reverse on display.
 *
 * Threat: spam and abuse that must look unchanged; the trick behind file names such as "annexe.exe" shown as "annexexe.e".
 * Example: "good" -> RIGHT-TO-LEFT OVERRIDE "doog" POP DIRECTIONAL FORMATTING, which displays as "good"
 * Readable because: the Unicode Bidirectional Algorithm (UAX 9) displays an overridden run from right to left, so text that is stored
 * backwards reads forwards. Hebrew takes the opposite override. Words whose letters join, as in Arabic, stay.
 * Paper: Nicholas Boucher, Ilia Shumailov, Ross Anderson and Nicolas Papernot, "Bad Characters: Imperceptible NLP Attacks", IEEE S&P 2022;
 * https://arxiv.org/abs/2106.09898
 * Differs: the paper swaps neighbouring characters with nested overrides and isolates; one override with its end displays the same and
 * costs two characters. Words are taken by importance instead of by differential evolution; 5 words, like the paper's budgets of up to 5
 * edits. If the tokenizer strips the controls, the model receives the letters in their stored order.
 */
import { graphemesOf, letterAttack, writtenApart } from '../src/plugin.js';

/** RIGHT-TO-LEFT OVERRIDE, or LEFT-TO-RIGHT for Hebrew, and POP DIRECTIONAL FORMATTING, which ends it. */
const backwards = (letters: readonly string[]) => {
  const override = letters.some((letter) => /\p{Script=Hebrew}/u.test(letter)) ? '\u202d' : '\u202e';
  return `${override}${letters.toReversed().join('')}\u202c`;
};

/** Two adjacent letters reversed, or the whole word. */
function* rewrites(word: string): Iterable<string> {
  const letters = graphemesOf(word);
  if (!writtenApart(word) || letters.length < 2) return;
  for (let at = 0; at + 1 < letters.length; at++) {
    yield letters.slice(0, at).join('') + backwards(letters.slice(at, at + 2)) + letters.slice(at + 2).join('');
  }
  yield backwards(letters);
}

export const bidi = letterAttack({
  name: 'bidi',
  summary: 'Stores letters backwards inside direction controls that display them forwards.',
  paper: { title: 'Bad Characters: Imperceptible NLP Attacks', url: 'https://arxiv.org/abs/2106.09898' },
  readers: ['person'],
  edit: 'letters reordered under direction controls',
  rewrites,
  fiveWords: 'be reordered (paper: budgets of up to 5 edits)',
});
