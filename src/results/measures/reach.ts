/**
 * @file How much of a text an attack could edit. An attack that finds nothing to edit flips nothing, which says nothing about the victim.
 * Such a text does not count as robust, and an attack with mostly such texts is not applicable.
 */
import { wordsOf } from '../../core/draft.js';
import { quantity } from '../../core/figure-text.js';
import type { Outcome } from '../../core/outcome.js';

/** An attack must be able to edit this share of a text's words to have tried the text. */
export const MIN_REACH = 0.05;

/**
 * Share of a text's words that an attack could edit, 0 to 1. `slots`: the words with an edit (all if absent). `length`: the number of
 * words, or of words before the cut if the victim truncates the text. A text without words has nothing to edit.
 */
export function reachOf(text: string, slots?: ReadonlySet<number>, length = wordsOf(text).length): number {
  return length === 0 ? 0 : (slots?.size ?? length) / length;
}

/** Whether the attack failed on a text of which it could edit almost nothing. */
export const outOfReach = ({ status, reach }: Pick<Outcome, 'status' | 'reach'>): boolean =>
  status === 'failed' && reach !== undefined && reach < MIN_REACH;

/**
 * Why an attack is not applicable to its texts: `unreached`, most of the `attacked` texts, were out of reach. Undefined if it is
 * applicable.
 */
export const inapplicable = (unreached: number, attacked: number): string | undefined =>
  2 * unreached > attacked
    ? `it found edits for fewer than ${100 * MIN_REACH} % of the words in ${unreached} of ${quantity(attacked, 'text')}`
    : undefined;
