import type { Language, LanguagePart } from '../core/language.js';
import type { Random } from '../core/random.js';
import type { Transformation } from '../core/search.js';

/** Longer runs of letters are data, not words (the longest English words have 45), and have rewrites by the thousand. */
const MAX_WORD_LETTERS = 100;

/**
 * Rewrites one word at a time: `rewrites` lists what a word may become; the word itself among them is ignored.
 * `language`: what they ask of it.
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
          if (other !== word) yield draft.replace(slot, other);
      }
    },
  };
}
