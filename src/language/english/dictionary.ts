/** @file Recognises English words. A typo that produces another word ("lovely" -> "lively") does not look like a typo. */
import type { WordClass } from '../../core/language.js';
import { baseForms } from './base-forms.js';
import { inflect } from './inflection.js';
import { isStopWord } from './stop-words.js';
import { WORD_CLASSES, wordnet } from './wordnet.js';

const inMemory = { has: (word: string, wordClass: WordClass) => wordnet.lemmas(wordClass).has(word) };

/** Endings before which a consonant may double or an e is dropped, with the tags of the resulting forms. */
const ENDINGS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/ing$/, ['VBG']],
  [/ed$/, ['VBD', 'VBN']],
  [/er$/, ['JJR']],
  [/est$/, ['JJS']],
];

/**
 * Whether WordNet has the word, as it is or correctly inflected ("running", not "runing"), or each part of a hyphenated word. Names and
 * slang are not included.
 */
export function isEnglishWord(word: string): boolean {
  const lower = word.toLowerCase();
  return isKnown(lower) || (lower.includes('-') && lower.split('-').every(isKnown));
}

/** WordNet lists every letter and many pairs ("od"), but readers take only common ones for words. */
export const readsAsWord = (letters: string): boolean =>
  letters.length > 2 ? isEnglishWord(letters) : letters.length === 2 ? isStopWord(letters) : /^[ai]$/i.test(letters);

const isKnown = (word: string): boolean =>
  isStopWord(word) ||
  WORD_CLASSES.some((wordClass) =>
    baseForms(word, wordClass, inMemory).some((base) => base === word || rightlyInflected(base, word)),
  );

/** WordNet's look-up removes an ending without checking that it was added correctly. */
function rightlyInflected(base: string, word: string): boolean {
  const tags = ENDINGS.find(([ending]) => ending.test(word))?.[1];
  return tags === undefined || tags.some((tag) => inflect(base, tag) === word);
}
