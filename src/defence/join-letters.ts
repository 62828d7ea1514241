import { z } from 'zod';
import { shield } from '../../packages/shield/src/index.js';
import type { DefencePlugin } from '../core/defence.js';
import { languagePart, type WordFrequency } from '../core/language.js';

/** Longest run of letters that is read as several words. */
const MAX_LETTERS = 60;
/** Letters of the longest word, and the cost of a word besides its rarity. */
const [MAX_WORD, WORD_COST] = [20, 20];

/** Closes up spaced-out letters that spell words. */
export const joinLetters: DefencePlugin<Record<string, never>> = {
  kind: 'defence',
  name: 'join-letters',
  summary: 'Closes up letters that were spaced out, where they spell words: "g o o d" is read as "good".',
  options: z.strictObject({}),
  language: ['dictionary'],
  create: (_, { vocabulary, texts, language }) => {
    const frequency = languagePart(language, 'dictionary').frequency(vocabulary, texts);
    return {
      conditions: 'spaced-out letters closed up',
      rewrite: (text) => shield(text, { parts: ['spacing'], segment: (letters) => asWords(letters, frequency) }).text,
    };
  },
};

/** A way to cut letters into words: where its last word begins, and its cost. */
interface LetterCut {
  readonly from: number;
  readonly cost: number;
}

/** The letters cut into the fewest common words, of these the most frequent; undefined if they spell none. */
function asWords(letters: string, frequency: WordFrequency): string | undefined {
  if (letters.length > MAX_LETTERS) return undefined;
  const lower = letters.toLowerCase();
  const best: (LetterCut | undefined)[] = [{ from: 0, cost: 0 }];
  for (let to = 1; to <= lower.length; to++) best[to] = bestCut(lower, to, best, frequency);
  const words: string[] = [];
  for (let to = lower.length; to > 0; ) {
    const cut = best[to];
    if (cut === undefined) return undefined;
    words.unshift(letters.slice(cut.from, to));
    to = cut.from;
  }
  return words.join(' ');
}

/** The best cut of the first `to` letters, given those of fewer letters. */
function bestCut(
  letters: string,
  to: number,
  best: readonly (LetterCut | undefined)[],
  frequency: WordFrequency,
): LetterCut | undefined {
  let found: LetterCut | undefined;
  for (let from = Math.max(0, to - MAX_WORD); from < to; from++) {
    const before = best[from];
    const word = letters.slice(from, to);
    if (before === undefined || (word.length === 1 && !/[ai]/.test(word)) || !frequency.isCommon(word)) continue;
    const cost = before.cost + WORD_COST - Math.log(frequency.of(word));
    if (cost < (found?.cost ?? Number.POSITIVE_INFINITY)) found = { from, cost };
  }
  return found;
}
