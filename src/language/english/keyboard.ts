/** @file Keys that a finger may hit by mistake. */
import type { Reach } from '../../core/language.js';
import { table } from './data-files.js';

let keys: Record<Reach, ReadonlyMap<string, readonly string[]>> | undefined;

/** Neighbours of a letter on a QWERTY keyboard, in the letter's case; none for characters without a key. */
export function neighbourKeys(letter: string, reach: Reach): readonly string[] {
  keys ??= load();
  const lower = keys[reach].get(letter.toLowerCase()) ?? [];
  return letter === letter.toLowerCase() ? lower : lower.map((key) => key.toUpperCase());
}

function load(): Record<Reach, ReadonlyMap<string, readonly string[]>> {
  const rows = table('qwerty.tsv') as [string, string, string][];
  return {
    touching: new Map(rows.map(([key, touching]) => [key, [...touching]])),
    near: new Map(rows.map(([key, , near]) => [key, [...near]])),
  };
}
