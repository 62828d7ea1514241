import { z } from 'zod';
import type { DefencePlugin } from '../core/defence.js';
import { languagePart, type WordFrequency } from '../core/language.js';

/** Three or more single letters, the same sign or space between each two. */
const SPACED = /(?<![\p{L}\p{N}])\p{L}([ .\-_*·]{1,2})\p{L}(?:\1\p{L})+(?![\p{L}\p{N}])/gu;
/** Longest run of letters taken for several words in a row. */
const MAX_LETTERS = 60;

/** Letters spaced out are closed up, where they spell words. */
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
      rewrite: (text) =>
        text.replace(SPACED, (run, separator: string) => {
          const letters = run.split(separator).join('');
          return asWords(letters, frequency) ?? run;
        }),
    };
  },
};

/** The letters cut into the fewest common words (of these the most frequent), or undefined where they spell none. */
function asWords(letters: string, frequency: WordFrequency): string | undefined {
  if (letters.length > MAX_LETTERS) return undefined;
  const lower = letters.toLowerCase();
  const best: ({ readonly from: number; readonly cost: number } | undefined)[] = [{ from: 0, cost: 0 }];
  for (let to = 1; to <= lower.length; to++) {
    for (let from = Math.max(0, to - 20); from < to; from++) {
      const before = best[from];
      const word = lower.slice(from, to);
      if (before === undefined || (word.length === 1 && !/[ai]/.test(word)) || !frequency.isCommon(word)) continue;
      const cost = before.cost + 20 - Math.log(frequency.of(word));
      if (cost < (best[to]?.cost ?? Number.POSITIVE_INFINITY)) best[to] = { from, cost };
    }
  }
  const words: string[] = [];
  for (let to = lower.length; to > 0; ) {
    const step = best[to];
    if (step === undefined) return undefined;
    words.unshift(letters.slice(step.from, to));
    to = step.from;
  }
  return words.join(' ');
}
