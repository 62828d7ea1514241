/** @file Common misspellings, by habit and by sound. */
import { lazily } from '../data-files.js';
import { soundSlipsOf, wordTable } from '../word-tables.js';
import { table } from './data-files.js';

const sounds = wordTable(() => table('sound-slips.tsv'));
const listed = wordTable(() => table('misspellings.tsv'));
const habits = lazily(() => new Map(listed()));

/** Known misspellings of a word, in its case: "Definitely" -> "Definately", "Definatly". */
export const misspellings = (word: string): string[] =>
  (habits().get(word.toLowerCase()) ?? []).map((wrong) => inCaseOf(word, wrong));

/**
 * Phonetic misspellings of a word with one error each, never in its first letter: "idiot" -> "ideot", "idiat", "idiit", "idiut". 85 to 99
 * of 100 misspellings have a correct first letter (studies in Kukich 1992, section 1.1.2).
 */
export const soundSlips = (word: string): string[] =>
  soundSlipsOf(word, sounds()).map((other) => inCaseOf(word, other));

/** `other` in capitals or capitalised like `word`, otherwise unchanged. */
function inCaseOf(word: string, other: string): string {
  if (word === word.toLowerCase()) return other;
  if (word === word.toUpperCase()) return other.toUpperCase();
  return other.charAt(0).toUpperCase() + other.slice(1);
}
