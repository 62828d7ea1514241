/** @file Keys that a finger may hit by mistake. */
import type { Reach } from '../../core/language.js';
import { lazily } from '../data-files.js';
import { inLetterCase } from '../word-tables.js';
import { table } from './data-files.js';

const rows = lazily(() => table('qwerty.tsv') as [string, string, string][]);
const touching = lazily(() => new Map(rows().map(([key, keys]) => [key, [...keys]])));
const near = lazily(() => new Map(rows().map(([key, , keys]) => [key, [...keys]])));

/** Neighbours of a letter on a QWERTY keyboard, in the letter's case; none for characters without a key. */
export const neighbourKeys = (letter: string, reach: Reach): readonly string[] =>
  inLetterCase(letter, (reach === 'touching' ? touching : near)().get(letter.toLowerCase()));
