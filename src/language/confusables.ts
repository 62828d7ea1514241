/** @file Characters that look like a letter. */
import { table } from './data-files.js';

let alphabets: ReadonlyMap<string, string> | undefined;
let signs: ReadonlyMap<string, readonly string[]> | undefined;

/** The double of a Latin letter in another alphabet, or undefined where none is close enough. */
export function homoglyph(letter: string): string | undefined {
  alphabets ??= new Map(table('homoglyphs.tsv').map(([latin, double]) => [latin as string, double as string]));
  return alphabets.get(letter);
}

/** Signs and digits of the keyboard that stand for a letter ("a": "@", "4"), the closest first. */
export function leetSigns(letter: string): readonly string[] {
  signs ??= new Map(table('leet.tsv').map(([from, to]) => [from as string, [...(to as string)]]));
  return signs.get(letter.toLowerCase()) ?? [];
}
