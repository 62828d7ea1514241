import { keepsDenials } from '../core/han-writing.js';
import type { Language, LanguagePart } from '../core/language.js';
import type { Random } from '../core/random.js';
import type { Transformation } from '../core/search.js';

/** Longer runs of letters are data, not words (the longest English words have 45 letters), and have thousands of rewrites. */
const MAX_WORD_LETTERS = 100;

/**
 * Rewrites one word at a time: `rewrites` lists the replacements of a word; the word itself is ignored, and a Chinese or Japanese word
 * keeps what denies. `language`: required parts of the language.
 */
export function swapWords(
  name: string,
  rewrites: (word: string, random: Random, language: Language) => Iterable<string>,
  language: readonly LanguagePart[] = [],
): Transformation {
  return {
    name,
    language,
    *edits(draft, at, random, space) {
      for (const slot of at) {
        const word = draft.word(slot);
        if (word.length > MAX_WORD_LETTERS) continue;
        for (const other of rewrites(word, random, space.language))
          if (other !== word && keepsDenials(word, other)) yield draft.replace(slot, other);
      }
    },
  };
}
