/** @file Guessing the word of a gap. Types only. */

/** A place in a text where a word is to be guessed: between what stands before and after it, spaces included. */
export interface Gap {
  readonly left: string;
  readonly right: string;
  /** The word that stands there, where the guesser may see it; else it is masked. */
  readonly seen?: string;
}

export interface Guess {
  /** One word of letters. */
  readonly word: string;
  /** Between 0 and 1. */
  readonly probability: number;
}

/** A language model that guesses words from what stands on both sides: a masked one, or n-grams. */
export interface FillMask {
  /** As a report names it. */
  readonly name: string;
  /** The likeliest words of each gap, best first, at most `limit`: a function of the gap alone. */
  guess(gaps: readonly Gap[], limit: number): Promise<Guess[][]>;
}
