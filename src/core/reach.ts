/**
 * @file How much of a text an attack could lay hands on. An attack that finds nothing to edit turns nothing, which says nothing about
 * the victim: such a text was not withstood, and an attack of which that holds for most texts does not apply to these texts.
 */
import { wordsOf } from './draft.js';
import type { Outcome } from './outcome.js';

/** Of the words a reader counts, the share that an attack must be able to edit to have tried a text. */
export const MIN_REACH = 0.05;

/**
 * Letters a word of scripts that put no space between words: what `wordsOf` takes for one word is a clause of several. Means of
 * running text, low rather than high, so that a text counts few words and an attack has the benefit of the doubt: Chinese words have 1.5
 * to 1.8 characters and Japanese 2 to 3; Thai, Lao, Khmer and Burmese ones 3 to 5 letters without their marks.
 */
const UNSPACED: readonly (readonly [RegExp, number])[] = [
  [/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu, 2],
  [/[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu, 5],
];

/** How many words a reader counts in what `wordsOf` takes for one word: more where no spaces divide them. */
export function wordsWithin(word: string): number {
  let unspaced = 0;
  let words = 0;
  for (const [script, each] of UNSPACED) {
    // Letters only: vowel signs and tone marks stand above and below them.
    const found = word.match(script)?.filter((sign) => /\p{L}/u.test(sign)).length ?? 0;
    unspaced += found;
    words += found / each;
  }
  if (unspaced === 0) return 1;
  const others = (word.match(/\p{L}/gu)?.length ?? 0) > unspaced;
  return Math.max(1, Math.round(words + (others ? 1 : 0)));
}

/**
 * The share of a text's words, as a reader counts them, that an attack could edit, 0 to 1: `slots` are those it found an edit for
 * (all, where absent). A slot of several words is a clause: what is done to it is done to a clause, and reaches no word. A text
 * without words has nothing to edit.
 */
export function reachOf(text: string, slots?: ReadonlySet<number>): number {
  let all = 0;
  let reached = 0;
  for (const [slot, { text: word }] of wordsOf(text).entries()) {
    const words = wordsWithin(word);
    all += words;
    if (words === 1 && (slots?.has(slot) ?? true)) reached++;
  }
  return all === 0 ? 0 : reached / all;
}

/** Did the attack fail on a text of which it could edit next to nothing? */
export const outOfReach = ({ status, reach }: Pick<Outcome, 'status' | 'reach'>): boolean =>
  status === 'failed' && reach !== undefined && reach < MIN_REACH;

/**
 * Why an attack does not apply to the texts it was tried on: `unreached` of the `attacked` were out of its reach, most of them. Undefined
 * where it does.
 */
export const inapplicable = (unreached: number, attacked: number): string | undefined =>
  2 * unreached > attacked
    ? `it found edits for fewer than ${100 * MIN_REACH} % of the words in ${unreached} of ${attacked} texts`
    : undefined;
