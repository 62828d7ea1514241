import type { Random } from '../core/random.js';
import type { Transformation } from '../core/search.js';

/** Longer runs of letters are data, not words (the longest English words have 45), and have rewrites by the thousand. */
const LONGEST_WORD = 100;

/** Rewrites one word at a time: `rewrites` lists what a word may become; the word itself among them is ignored. */
export function swapWords(name: string, rewrites: (word: string, random: Random) => Iterable<string>): Transformation {
  return {
    name,
    *edits(draft, at, random) {
      for (const slot of at) {
        const word = draft.word(slot);
        if (word.length > LONGEST_WORD) continue;
        for (const other of rewrites(word, random)) if (other !== word) yield draft.replace(slot, other);
      }
    },
  };
}
