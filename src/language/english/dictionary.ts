/** @file Is this an English word? A slip that spells another word ("lovely" -> "lively") is no slip to a reader. */

import type { WordClass } from '../../core/language.js';
import { baseForms } from './base-forms.js';
import { inflect } from './inflection.js';
import { isStopWord } from './stop-words.js';
import { WORD_CLASSES, wordnet } from './wordnet.js';

const inMemory = { has: (word: string, wordClass: WordClass) => wordnet.lemmas(wordClass).has(word) };

/** Endings before which a consonant may double or an e fall, with the tags of the forms they make. */
const ENDINGS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/ing$/, ['VBG']],
  [/ed$/, ['VBD', 'VBN']],
  [/er$/, ['JJR']],
  [/est$/, ['JJS']],
];

/**
 * Whether WordNet knows the word, as it stands or rightly inflected ("running", not "runing"); a hyphenated word also where
 * it knows each part. Names and slang it does not know.
 */
export function isEnglishWord(word: string): boolean {
  const lower = word.toLowerCase();
  return known(lower) || (lower.includes('-') && lower.split('-').every(known));
}

/** WordNet lists every letter and many a pair of letters ("od"): to a reader only the common ones are words. */
export const readsAsWord = (letters: string): boolean =>
  letters.length > 2 ? isEnglishWord(letters) : letters.length === 2 ? isStopWord(letters) : /^[ai]$/i.test(letters);

const known = (word: string): boolean =>
  isStopWord(word) ||
  WORD_CLASSES.some((wordClass) =>
    baseForms(word, wordClass, inMemory).some((base) => base === word || rightlyInflected(base, word)),
  );

/** WordNet's own look-up takes an ending off without asking how it should have been put on. */
function rightlyInflected(base: string, word: string): boolean {
  const tags = ENDINGS.find(([ending]) => ending.test(word))?.[1];
  return tags === undefined || tags.some((tag) => inflect(base, tag) === word);
}
