import type { Random } from '../core/random.js';
import type { Transformation } from '../core/types.js';

/** Rewrites one word at a time: `rewrites` lists what a word may become; the word itself among them is ignored. */
export function swapWords(name: string, rewrites: (word: string, random: Random) => Iterable<string>): Transformation {
  return {
    name,
    *edits(draft, at, random) {
      for (const slot of at) {
        const word = draft.word(slot);
        for (const other of rewrites(word, random)) if (other !== word) yield draft.replace(slot, other);
      }
    },
  };
}
