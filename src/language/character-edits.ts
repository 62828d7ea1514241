/** @file Edits of a word's letters. A letter is a character with its combining marks, so that no edit cuts one in two. */

/** A consonant with a virama forms one cluster with the next, in the scripts of Unicode's rule GB9c; Thai and Lao write am as a letter of its own that is none. */
const CLUSTER =
  /[^\p{M}\p{Cf}](?:[\p{M}\p{Cf}\u0e33\u0eb3]|(?<=[\u094d\u09cd\u0acd\u0b4d\u0c4d\u0d4d][\u200d\u093c]?)\p{Lo})*|[\p{M}\p{Cf}]+/gu;

/** A word's letters: "naïve" has five however its ï is written, and क्षमा two. */
export function graphemesOf(word: string): string[] {
  // The common case at a tenth of the cost.
  if (/^[\x21-\x7e]*$/.test(word)) return word.split('');
  return word.match(CLUSTER) ?? [];
}

/** Letters `at` and `at + 1` exchanged: "idiot" -> "idoit". */
export const swapped = (letters: readonly string[], at: number): string =>
  letters
    .with(at, letters[at + 1] as string)
    .with(at + 1, letters[at] as string)
    .join('');

/** Letter `at` gone: "idiot" -> "idot". */
export const dropped = (letters: readonly string[], at: number): string => letters.toSpliced(at, 1).join('');

/** `text` put before letter `at`: "idiot" -> "idfiot". */
export const inserted = (letters: readonly string[], at: number, text: string): string =>
  letters.toSpliced(at, 0, text).join('');

/** `text` in place of letter `at`: "idiot" -> "idiit". */
export const substituted = (letters: readonly string[], at: number, text: string): string =>
  letters.with(at, text).join('');

/** The 52 letters that random edits draw from, as TextAttack's do. */
export const LETTERS: readonly string[] = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('');

/** Whether all letters of a word belong to scripts written apart and from left to right: Latin, Greek, Cyrillic, Han. */
export const writtenApart = (word: string): boolean =>
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}\p{M}\p{N}\p{P}\p{S}]+$/u.test(word);
