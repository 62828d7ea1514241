/** @file Parts of a text that may be a trigger: runs of words, and characters outside ASCII. */
import type { Language } from '../../core/language.js';
import { codePoint } from '../../core/visible.js';

/** Words of the longest run: enough for the distinctive part of a sentence. */
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

const words = (text: string, language: Tokenizing): string[] =>
  language.tokenize(text).map((token) => token.toLowerCase());

/** A feature in words. */
export const describeFeature = (feature: string): string =>
  /^U\+[0-9A-F]{4,}$/.test(feature) ? `the character ${feature}` : `"${feature}"`;
