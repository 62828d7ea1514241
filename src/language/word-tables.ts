/** @file What every language does with its tables of words: a word, or a part of one, and the others that stand for it. */
import type { CodeSwitching } from '../core/language.js';
import { lazily } from './data-files.js';

type WordTable = readonly (readonly [from: string, others: readonly string[]])[];

/** A table of rows "from", "other other". */
export const wordTable = (rows: () => readonly (readonly string[])[]): (() => WordTable) =>
  lazily(() => rows().map(([from = '', others = '']) => [from, others.split(' ')] as const));

/** Keys in the case of a letter. */
export const inLetterCase = (letter: string, keys: readonly string[] = []): readonly string[] =>
  letter === letter.toLowerCase() ? keys : keys.map((key) => key.toUpperCase());

/** The word in small letters with one sound written in another way, never its first letter. */
export function soundSlipsOf(word: string, sounds: WordTable): string[] {
  const lower = word.toLowerCase();
  const slips: string[] = [];
  for (const [from, others] of sounds) {
    for (let at = lower.indexOf(from, 1); at !== -1; at = lower.indexOf(from, at + 1)) {
      for (const to of others) slips.push(lower.slice(0, at) + to + lower.slice(at + from.length));
    }
  }
  return slips;
}

/** Translates function words into other languages, and back. */
export function codeSwitchingBy(rows: () => WordTable): CodeSwitching {
  const abroad = lazily(() => new Map(rows()));
  const home = lazily(() => new Map(rows().flatMap(([word, others]) => others.map((other) => [other, word]))));
  return {
    translations: (word) => abroad().get(word.toLowerCase()) ?? [],
    meaning: (word) => home().get(word.toLowerCase()),
  };
}
