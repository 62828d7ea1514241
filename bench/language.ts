/**
 * @file Measures the language functions on text of SST-2 (../shared/data/sst2). Run: npm run bench dist/bench/language.js
 * Prints medians of three runs, and the figure each is a part of.
 */

import { readFileSync } from 'node:fs';
import { Draft } from '../src/core/draft.js';
import { english } from '../src/language/english/index.js';
import { negationProbes } from '../src/language/english/negation/probes.js';
import { tagDraft } from '../src/language/english/part-of-speech.js';
import { synonymsAt } from '../src/language/english/synonyms.js';
import { NgramModel } from '../src/language/ngram-model.js';
import { rankByFit } from '../src/language/synonym-fit.js';

const texts = (file: string): string[] =>
  readFileSync(`../shared/data/sst2/${file}`, 'utf8')
    .split('\n')
    .filter((line) => line.includes('\t') && !line.startsWith('#'))
    .map((line) => line.slice(0, line.indexOf('\t')));

/** Median of three, in milliseconds. */
function clock(work: () => void): number {
  const times = [0, 1, 2].map(() => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return times.sort((a, b) => a - b)[1] as number;
}

const train = texts('train.tsv');
const dev = texts('dev.tsv');
let model = new NgramModel(train, english);
const training = clock(() => {
  model = new NgramModel(train, english);
});
console.log(`n-gram training, order 3    ${(training / 1000).toFixed(2)} s for ${train.length} phrases`);
const tokens = dev.reduce((sum, text) => sum + model.surprisals(text).bits.length, 0);
const scoring = clock(() => {
  for (const text of dev) model.surprisals(text);
});
console.log(`n-gram scoring              ${((scoring * 1000) / tokens).toFixed(1)} us a token`);
const tagging = clock(() => {
  for (const text of dev) tagDraft(Draft.of(text));
});
console.log(`part of speech              ${((tagging * 1000) / tokens).toFixed(1)} us a token`);
const drafts = dev.slice(0, 200).map((text) => Draft.of(text));
const words = drafts.reduce((sum, draft) => sum + draft.words.length, 0);
const synonyms = clock(() => {
  for (const draft of drafts) for (const at of draft.words.keys()) synonymsAt(draft, at);
});
const ranked = clock(() => {
  for (const draft of drafts) {
    for (const at of draft.words.keys()) rankByFit(synonymsAt(draft, at), draft, at, model);
  }
});
console.log(
  `synonyms                    ${((synonyms * 1000) / words).toFixed(0)} us a word, ${(ranked / synonyms).toFixed(1)} times that with fit`,
);
const probes = clock(() => {
  for (const text of dev.slice(0, 200)) negationProbes(text, 'positive');
});
console.log(`negation probes             ${(probes / 200).toFixed(2)} ms a text`);
