/**
 * @file How much of a text an attack could lay hands on. An attack that finds nothing to edit turns nothing, which says nothing about
 * the victim: such a text was not withstood, and an attack of which that holds for most texts does not apply to these texts.
 */
import { wordsOf } from './draft.js';
import type { Outcome } from './outcome.js';

/** Of the words of a text, the share that an attack must be able to edit to have tried a text. */
export const MIN_REACH = 0.05;

/**
 * The share of a text's words that an attack could edit, 0 to 1: `slots` are those it found an edit for (all, where absent), `length` is how
 * many there are, of a text that the victim cuts those that it reads. A text without words has nothing to edit.
 */
export function reachOf(text: string, slots?: ReadonlySet<number>, length = wordsOf(text).length): number {
  return length === 0 ? 0 : (slots?.size ?? length) / length;
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
