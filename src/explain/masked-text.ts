/** @file A text with some of its words left out. */

import { wordsOf } from '../core/draft.js';
import type { WordBaseline } from '../core/explanation.js';

/** One element per word: 1 is kept, 0 is left out. */
export type Coalition = Uint8Array;

/** Replacement of a word, and its id in the model's vocabulary if it has one. */
export interface StandIn {
  readonly text: string;
  readonly id?: number;
}

export interface WordReplacement {
  readonly name: WordBaseline;
  /** Unused by `delete`. */
  readonly token: string;
}

/** Words of a text, and the text with only some of them. Everything between words always stays. */
export interface MaskedText {
  readonly text: string;
  readonly words: readonly { readonly text: string; readonly start: number }[];
  /** A deleted word also removes the space before it (after it, if no word precedes), so that no double space reveals it. */
  keep(kept: Coalition): string;
}

export function maskedText(text: string, { name, token }: WordReplacement): MaskedText {
  const words = wordsOf(text);
  const ends = words.map((word) => word.start + word.text.length);
  const gaps = words.map((word, at) => text.slice(ends[at - 1] ?? 0, word.start));
  const tail = text.slice(ends.at(-1) ?? 0);
  const replaceWords = (kept: Coalition): string =>
    words.reduce((made, word, at) => made + gaps[at] + (kept[at] === 1 ? word.text : token), '') + tail;
  const deleteWords = (kept: Coalition): string => {
    let made = '';
    words.forEach((word, at) => {
      let gap = gaps[at]!;
      if (made === '' && at > 0 && gap.startsWith(' ')) gap = gap.slice(1);
      if (kept[at] === 1) made += gap + word.text;
      else made += gap.endsWith(' ') ? gap.slice(0, -1) : gap;
    });
    return made === '' && words.length > 0 && tail.startsWith(' ') ? tail.slice(1) : made + tail;
  };
  return { text, words, keep: name === 'delete' ? deleteWords : replaceWords };
}
