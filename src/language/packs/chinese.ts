/** @file Chinese: typos are characters that sound alike, as in an input method, or look alike. */
import type { Language } from '../../core/language.js';
import { lazily } from '../data-files.js';
import { section } from './data-files.js';
import { tokens } from './pack.js';

/** Character -> the others of its groups. */
const related = (name: string) =>
  lazily(() => {
    const found = new Map<string, string[]>();
    for (const group of section('zh.txt', name).words) {
      for (const one of group) {
        const others = found.get(one) ?? [];
        found.set(one, [...others, ...[...group].filter((other) => other !== one && !others.includes(other))]);
      }
    }
    return found;
  });

const [sounding, looking] = [related('sound alike'), related('look alike')];
const [stopWords, everyday] = [section('zh.txt', 'stop words'), section('zh.txt', 'everyday words')];

export const chinese: Language = {
  code: 'zh',
  name: 'Chinese',
  tokenize: tokens,
  // With pinyin input, a typo selects another character of the same sound.
  keyboard: { neighbours: (character) => sounding().get(character) ?? [] },
  misspellings: {
    known(word) {
      const characters = [...word];
      return characters.flatMap((one, at) =>
        (looking().get(one) ?? []).map((other) => characters.with(at, other).join('')),
      );
    },
    bySound: () => [],
  },
  stopWords: { has: (word) => stopWords.has(word) },
  get everydayWords() {
    return everyday.words;
  },
};
