/** @file A text with some of its words left out. */

import { wordsOf } from '../core/draft.js';
import type { WordBaseline } from '../core/explanation.js';

/** Which words are kept: 1, or left out: 0; one element a word. */
export type Coalition = Uint8Array;

/** What stands in for a word, and its place in the model's vocabulary where it has one. */
export interface StandIn {
  readonly text: string;
  readonly id?: number;
}

export interface WordReplacement {
  readonly name: WordBaseline;
  /** Unused by `delete`. */
  readonly token: string;
}

/** The words of a text, and the text with only some of them. What stands between words always stays. */
export interface MaskedText {
  readonly text: string;
  readonly words: readonly { readonly text: string; readonly start: number }[];
  /** A deleted word takes the space before it along (behind it, where none is left before), so that no double space betrays it. */
  keep(kept: Coalition): string;
}

export function maskedText(text: string, { name, token }: WordReplacement): MaskedText {
  const words = wordsOf(text);
  const ends = words.map((word) => word.start + word.text.length);
  const gaps = words.map((word, at) => text.slice(ends[at - 1] ?? 0, word.start));
  const tail = text.slice(ends.at(-1) ?? 0);
  const replaced = (kept: Coalition): string =>
    words.reduce((made, word, at) => made + gaps[at] + (kept[at] === 1 ? word.text : token), '') + tail;
  const deleted = (kept: Coalition): string => {
    let made = '';
    words.forEach((word, at) => {
      let gap = gaps[at] as string;
      if (made === '' && at > 0 && gap.startsWith(' ')) gap = gap.slice(1);
      if (kept[at] === 1) made += gap + word.text;
      else made += gap.endsWith(' ') ? gap.slice(0, -1) : gap;
    });
    return made === '' && words.length > 0 && tail.startsWith(' ') ? tail.slice(1) : made + tail;
  };
  return { text, words, keep: name === 'delete' ? deleted : replaced };
}
