/** The documents are short, in few pages, and in the field's language. Prints the median sentence length and the twenty longest sentences. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../src/core/package-root.js';
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

/** Sentences outside code, tables and headings; an item of a list begins one. */
function sentences(file: string): string[] {
  const text = prose(readDocument(file)).replace(/^(?:\||#| {4}).*$/gm, '\n');
  return text
    .split(/\n\s*\n|\n(?=(?:-|\d+\.) )/)
    .flatMap((block) => block.replace(/\s+/g, ' ').split(/(?<=[.!?:;]["')]?\*{0,2}) (?=["'([*]*[A-Z])/))
    .map((sentence) => sentence.replace(/^(?:-|\d+\.) /, '').trim())
    .filter((sentence) => wordsOf(sentence) > 2);
}
const wordsOf = (sentence: string): number => sentence.match(/[\p{L}\p{N}][^\s]*/gu)?.length ?? 0;
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** Phrases that no technical editor would let stand: the meaning is clear only on a second reading. */
const DIALECT: readonly RegExp[] = [
  /\bas right as\b/i,
  /\bOf an? \w+[^.\n]{0,40}:/,
  /\b[Tt]old\b|\b[Tt]ells? (?:of|nothing)\b|\bthat tells?\b/,
  /\bat hand\b/i,
  /(?<!there )\b(?:is|are) none\b/i,
  /\bwhat is left\b/i,
  /\bso many\b|\bthat much\b/i,
  /\bturn(?:s|ed)? (?:the|a|any|its|their|every|no|texts?|predictions?|right)\b(?! (?:on|off))/i,
  /\bwithstood\b|\bblotted\b|\bmended\b|\bnewly broken\b/i,
  /\btexts asked\b|\bthe asked\b/i,
  /\b(?:go|goes|gone|going) on with\b/i,
  /\bheld to\b|(?<!not )\bheld against\b/i,
  /\bof the draw\b/i,
  /\bwhat was not measured\b|\bnever green\b/i,
  /\bin the mean\b/i,
  /\bleash\b|\bdebts?\b|\bow(?:es|ed)\b|\bskim\b/i,
  /\banew\b/i,
  /\bbut for\b/i,
  /\bput (?:to|for)\b/i,
  /\b(?:it|that|this|which) is no (?!longer|larger|more|less|better|worse)\w+/i,
  /\bbroke off\b|\bbeside work\b/i,
  /\bspelt out\b|\bsaid of\b/i,
];

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
  expect(
    DIALECT.flatMap((phrase) => text.match(new RegExp(`.{0,40}${phrase.source}.{0,20}`, phrase.flags)) ?? []),
  ).toEqual([]);
});

test('the list finds the dialect', () => {
  const examples = [
    'it is as right as distilbert',
    'Of a folder: EISDIR',
    'a typo turned the prediction',
    'what is told',
  ];
  for (const example of examples)
    expect(
      DIALECT.some((phrase) => phrase.test(example)),
      example,
    ).toBe(true);
});

test('sentences are short: the median has at most 16 words', () => {
  const all = written.flatMap((file) =>
    sentences(file).map((sentence) => ({ file, sentence, length: wordsOf(sentence) })),
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
