/** Doubles vowels: "a good film" -> "a goood film". Models a repeating key. */
// @ts-check
import { maxFraction, minLength, noRepeat, searchAttack, swapWords, z } from 'robust-text/plugin';

/** Rewrites of a word, one edit each. @param {string} word */
const rewrites = (word) =>
  [...word.matchAll(/[aeiou]/gi)].map(({ 0: vowel, index }) => word.slice(0, index) + vowel + word.slice(index));

/** Edits and constraints; the search is greedy by word importance. The attack's options and report derive from this. */
export default searchAttack({
  name: 'my-attack',
  level: 'character',
  summary: 'Doubles a vowel of a word: "good" -> "goood".',
  edits: () => swapWords('a vowel doubled', rewrites),
  bounds: { maxFraction: z.number().gt(0).max(1).default(0.25).describe('largest share of the words that change') },
  constraints: (chosen) => [noRepeat, minLength(3), maxFraction(chosen.maxFraction)],
});
