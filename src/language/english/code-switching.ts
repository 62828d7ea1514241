/** @file Translates English function words into other languages, and back. */
import type { CodeSwitching } from '../../core/language.js';
import { lazily } from '../data-files.js';
import { table } from './data-files.js';

const abroad = lazily(
  () => new Map(table('function-words-abroad.tsv').map(([word, others]) => [word!, others!.split(' ')])),
);
const home = lazily(() => new Map([...abroad()].flatMap(([word, others]) => others.map((other) => [other, word]))));

export const codeSwitching: CodeSwitching = {
  translations: (word) => abroad().get(word.toLowerCase()) ?? [],
  meaning: (word) => home().get(word.toLowerCase()),
};
