/** Figures in pages: each has been compared with what its command gives, since either changed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../src/core/package-root.js';
import { documents } from './documents.js';
import { agrees, type Figure, figuresIn, near, readPrinted, recordOf, stated, unstated } from './stated.js';

/** Pages with figures that were measured before their commands were compared, and wait for the first comparison. */
const WAITING = ['backdoor-planting', 'defences', 'parity', 'performance', 'search', 'verification'].map(
  (page) => `docs/research/${page}.md`,
);

test('every stated figure has a record of when it last agreed: npm run test:slow -- test/slow/stated.test.ts', () => {
  const [, ...lines] = readFileSync(join(packageRoot, 'test', 'slow', 'stated.tsv'), 'utf8')
    .trimEnd()
    .split('\n');
  const records = lines.map((line) => line.slice(line.indexOf('\t') + 1));
  expect(records).toEqual(stated.map(recordOf));
  // What takes hours, or is judged by readers, may stand as it was measured when it was written.
  const open = lines.filter((line) => !/^(?:\d{4}-\d\d-\d\d|never\t(?:hours|judged))\t/.test(line));
  expect([...new Set(open.map((line) => line.split('\t')[2]))]).toEqual(WAITING);
});

test('every marker finds figures', () => {
  expect(stated.filter(({ figures }) => figures.length === 0).map(recordOf)).toEqual([]);
});

test('every measurement in a page has a marker with the command that gives it, or stands in a block that has one', () => {
  expect(['README.md', ...documents].flatMap((page) => unstated(page).map((figure) => `${page}: ${figure}`))).toEqual(
    [],
  );
});

test('without its marker a figure is named', () => {
  const page = 'docs/research/quality.md';
  expect(unstated(page, [])).toContain('0.833 (0.81-0.86');
});

test('figures of a sentence: shares, decimals, thousands, intervals; neither names nor counts', () => {
  const text = 'Of 52 texts of SST-2 (`n=3.5`), 34.7 % (28-43) are found, 1,505 read, +3.0 (-1.4 to +7.6), p < 0.001.';
  expect(figuresIn(text).map(({ written }) => written)).toEqual(['34.7 % (28-43', '1,505', '+3.0 (-1.4 to +7.6']);
});

test.each([
  ['34.7 % (28-43)', true],
  ['34.6 % (28-43)', false],
  ['34.7 % (28-44)', false],
  ['34.7', true],
  ['35 %', true],
  ['0.347', true],
  ['0.823', true],
  ['0.82', true],
  ['0.81', false],
])('%s agrees: %s', (text, expected) => {
  const printed = readPrinted('{"recall":{"value":0.3467,"low":0.2750,"high":0.4258,"n":150},"auroc":0.8231}');
  expect(figuresIn(text).map((figure) => agrees(figure, printed))).toEqual([expected]);
});

test('a count has the share and the interval of its rate; a ratio of times agrees within a quarter', () => {
  const printed = readPrinted('{"found":{"value":0.8421053,"low":0.6243,"high":0.9448,"n":19},"ratio":0.62}');
  const [count, wrong, ratio, far] = figuresIn('16/19 (62-94 %), 15/19 (62-94 %), 0.72, 2.5') as [
    Figure,
    Figure,
    Figure,
    Figure,
  ];
  expect([count, wrong].map((figure) => agrees(figure, printed))).toEqual([true, false]);
  expect([ratio, far].map((figure) => near(figure, printed))).toEqual([true, false]);
});
