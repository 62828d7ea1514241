/** @file How people misspell a word they do not know how to spell: by habit, and by sound. */
import { table } from './data-files.js';

let habits: ReadonlyMap<string, readonly string[]> | undefined;
let sounds: readonly (readonly [string, readonly string[]])[] | undefined;

const load = (file: string) => table(file).map(([from, to]) => [from as string, (to as string).split(' ')] as const);

/** The known misspellings of a word, in its case: "Definitely" -> "Definately", "Definatly". */
export function misspellings(word: string): string[] {
  habits ??= new Map(load('misspellings.tsv'));
  return (habits.get(word.toLowerCase()) ?? []).map((wrong) => inCaseOf(word, wrong));
}

/**
 * A word written by ear, one slip each, never in its first letter: "idiot" -> "ideot", "idiat", "idiit", "idiut". First
 * letters are right in 85 to 99 of 100 misspellings (the studies in Kukich 1992, section 1.1.2).
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

/** All capitals, or a capital first letter, as the word had; otherwise as it is. */
function inCaseOf(word: string, other: string): string {
  if (word === word.toLowerCase()) return other;
  if (word === word.toUpperCase()) return other.toUpperCase();
  return other.charAt(0).toUpperCase() + other.slice(1);
}
