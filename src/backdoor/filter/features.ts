/** @file What in a text may be a trigger: its runs of words, and characters outside ASCII. */
import type { Example } from '../../core/dataset.js';
import type { Language } from '../../core/language.js';

/** Longest run of words looked at: enough for the tell-tale part of a sentence. */
const MAX_NGRAM_WORDS = 3;
/** Sits between the words of a run; no token holds it. */
const BETWEEN = ' ';

type Tokenizing = Pick<Language, 'tokenize'>;

/** The distinct words of a text, and its distinct odd characters as `U+200B`. */
export function wordFeatures(text: string, language: Tokenizing): string[] {
  const odd = Array.from(text.matchAll(/[^\x20-\x7e\t\r\n]/gu), ([character]) => codePoint(character));
  return [...new Set([...words(text, language), ...odd])];
}

/** As `wordFeatures`, and the distinct runs of two and three words. */
export function features(text: string, language: Tokenizing): string[] {
  const tokens = words(text, language);
  const runs: string[] = [];
  for (let length = 2; length <= MAX_NGRAM_WORDS; length++) {
    for (let from = 0; from + length <= tokens.length; from++)
      runs.push(tokens.slice(from, from + length).join(BETWEEN));
  }
  return [...new Set([...wordFeatures(text, language), ...runs])];
}

/** The words of a feature, each a feature itself. */
export const parts = (feature: string): string[] => feature.split(BETWEEN);

const words = (text: string, language: Tokenizing): string[] =>
  language.tokenize(text).map((token) => token.toLowerCase());
const codePoint = (character: string): string =>
  `U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`;

/** A feature as it is told to a person. */
export const named = (feature: string): string =>
  /^U\+[0-9A-F]{4,}$/.test(feature) ? `the character ${feature}` : `"${feature}"`;

/** Feature -> the rows it stands in; only features of at least `least` rows. */
export function occurrences(
  examples: readonly Example[],
  featuresOf: (text: string) => readonly string[],
  least: number,
): Map<string, number[]> {
  const rows = new Map<string, number[]>();
  examples.forEach(({ text }, row) => {
    for (const feature of featuresOf(text)) {
      const list = rows.get(feature);
      if (list === undefined) rows.set(feature, [row]);
      else list.push(row);
    }
  });
  for (const [feature, { length }] of rows) if (length < least) rows.delete(feature);
  return rows;
}
