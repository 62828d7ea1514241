/** @file Common misspellings, by habit and by sound. */
import { table } from './data-files.js';

let habits: ReadonlyMap<string, readonly string[]> | undefined;
let sounds: readonly (readonly [string, readonly string[]])[] | undefined;

const load = (file: string) => table(file).map(([from, to]) => [from!, to!.split(' ')] as const);

/** Known misspellings of a word, in its case: "Definitely" -> "Definately", "Definatly". */
export function misspellings(word: string): string[] {
  habits ??= new Map(load('misspellings.tsv'));
  return (habits.get(word.toLowerCase()) ?? []).map((wrong) => inCaseOf(word, wrong));
}

/**
 * Phonetic misspellings of a word with one error each, never in its first letter: "idiot" -> "ideot", "idiat", "idiit", "idiut". 85 to 99
 * of 100 misspellings have a correct first letter (studies in Kukich 1992, section 1.1.2).
 */
export function soundSlips(word: string): string[] {
  sounds ??= load('sound-slips.tsv');
  const lower = word.toLowerCase();
  const slips: string[] = [];
  for (const [from, others] of sounds) {
    for (let at = lower.indexOf(from, 1); at !== -1; at = lower.indexOf(from, at + 1)) {
      for (const to of others) slips.push(inCaseOf(word, lower.slice(0, at) + to + lower.slice(at + from.length)));
    }
  }
  return slips;
}

/** `other` in capitals or capitalised like `word`, otherwise unchanged. */
function inCaseOf(word: string, other: string): string {
  if (word === word.toLowerCase()) return other;
  if (word === word.toUpperCase()) return other.toUpperCase();
  return other.charAt(0).toUpperCase() + other.slice(1);
}
