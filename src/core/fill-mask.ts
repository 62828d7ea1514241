/** @file Interface of models that guess a missing word. Types only. */

/** A place in a text where a word is to be guessed: the text before and after it, spaces included. */
export interface Gap {
  readonly left: string;
  readonly right: string;
  /** The current word, if the model may see it; otherwise it is masked. */
  readonly seen?: string;
}

export interface Guess {
  /** One word of letters. */
  readonly word: string;
  /** Between 0 and 1. */
  readonly probability: number;
}

/** A language model that guesses words from both sides of the context: a masked one, or n-grams. */
export interface FillMask {
  /** Name in reports. */
  readonly name: string;
  /** The most probable words of each gap, best first, at most `limit`. Each result depends on its gap only. */
  guess(gaps: readonly Gap[], limit: number): Promise<Guess[][]>;
}
