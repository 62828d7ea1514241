/** Vowels doubled: "a good film" -> "a goood film". Slips of a key that repeats. */
// @ts-check
import { maxFraction, minLength, noRepeat, searchAttack, swapWords, z } from 'robust-text/plugin';

/** Each rewrite of a word, one edit each. @param {string} word */
const rewrites = (word) =>
  [...word.matchAll(/[aeiou]/gi)].map(({ 0: vowel, index }) => word.slice(0, index) + vowel + word.slice(index));

/** Edits, constraints, and a greedy search in the order of the words' importance: its name, its options and its report follow. */
export default searchAttack({
  name: 'my-attack',
  level: 'character',
  summary: 'Doubles a vowel of a word: "good" -> "goood".',
  edits: () => swapWords('a vowel doubled', rewrites),
  bounds: { maxFraction: z.number().gt(0).max(1).default(0.25).describe('largest share of the words that change') },
  constraints: (chosen) => [noRepeat, minLength(3), maxFraction(chosen.maxFraction)],
});
