/** The documents are short, in few pages, and in the field's language. Prints the median sentence length and the twenty longest sentences. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../src/core/package-root.js';
import { sentencesOf, wordCount } from './code-prose.js';
import { DIALECT, phrasesIn } from './dialect.js';
import { documents, guides, readDocument } from './documents.js';

/** Pages whose text is that of the code: headers of attacks, help, descriptions of parts. */
const GENERATED =
  /^docs\/reference\/(?:attacks\/|attacks\.md|commands\/|commands\.md|settings\.md|components\.md|plugins\.md|supported-ops\.md)/;
const written = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'bench/README.md', 'datasets/data/README.md'],
  ...['bert-mini', 'char-bilstm', 'distilbert'].map((model) => `models/${model}/README.md`),
  ...documents.filter((file) => !GENERATED.test(file)),
];
const users = documents.filter((file) => !GENERATED.test(file)).concat('README.md');

const prose = (text: string): string =>
  text
    .replace(/<!--[\s\S]*?-->|^```[\s\S]*?^```/gm, '')
    .replace(/`[^`\n]*`/g, 'Code')
    .replace(/\]\([^)]*\)/g, ']');

/** Sentences outside code, tables and headings. */
const sentencesIn = (file: string): string[] =>
  sentencesOf(prose(readDocument(file)).replace(/^(?:\||#| {4}).*$/gm, '\n'));
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

describe('the size of the guides', () => {
  test('they are at most fifteen', () => expect(guides.length).toBeLessThanOrEqual(15));
  test.each(guides)('%s has at most 150 lines', (file) =>
    expect(readDocument(file).split('\n').length - 1).toBeLessThanOrEqual(150),
  );
  test('they have at most 170 KB together', () => {
    const bytes = guides.map((file) => statSync(join(packageRoot, file)).size);
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(170_000);
  });
});

test.each(users)('%s sends nobody to data that only contributors have', (file) => {
  expect(readDocument(file)).not.toMatch(/\.\.\/shared/);
});

test.each(written)('%s has no phrase of the list', (file) => {
  const text = prose(readDocument(file)).replace(/^ {4}.*$/gm, '');
  expect(phrasesIn(text, DIALECT)).toEqual([]);
});

test('the list finds the dialect', () => {
  const examples = [
    'it is as right as distilbert',
    'Of a folder: EISDIR',
    'a typo turned the prediction',
    'what is told',
  ];
  for (const example of examples) expect(phrasesIn(example, DIALECT), example).not.toEqual([]);
});

test('sentences are short: the median has at most 16 words', () => {
  const all = written.flatMap((file) =>
    sentencesIn(file).map((sentence) => ({ file, sentence, length: wordCount(sentence) })),
  );
  const longest = all.toSorted((a, b) => b.length - a.length).slice(0, 20);
  console.info(
    [
      `Median sentence: ${median(all.map(({ length }) => length))} words of ${all.length} sentences. The longest:`,
      ...longest.map(({ file, sentence, length }) => `${length} ${file}: ${sentence}`),
    ].join('\n'),
  );
  expect(median(all.map(({ length }) => length))).toBeLessThanOrEqual(16);
});
