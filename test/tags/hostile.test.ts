/** Hostile data for a model that tags: each file is read, or refused with a named error; nothing hangs. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { attack, evaluate } from '../../src/api.js';
import { refusal } from '../refusal.js';

const model = fileURLToPath(new URL('goldens/bert', import.meta.url));
const home = process.cwd();
const folder = mkdtempSync(join(tmpdir(), 'robust-hostile-tags-'));
beforeAll(() => process.chdir(folder));
afterAll(() => process.chdir(home));

const row = (text: string, ...spans: readonly [number, number, string][]): string =>
  JSON.stringify({ text, spans: spans.map(([start, end, type]) => ({ start, end, type })) });
const tokens = (of: readonly unknown[], tags: readonly unknown[]): string => JSON.stringify({ tokens: of, tags });
const long = `${'the cat met Bob in York, '.repeat(4000)}Ann`;

let files = 0;
function settings(content: string, ending = 'jsonl') {
  const data = join(folder, `${++files}.${ending}`);
  writeFileSync(data, content);
  return { model, data, task: 'tags', numExamples: 0, force: true, workers: 1 } as const;
}

/** Content, its ending, and the entities that are counted. */
test.each([
  ['an empty text', row(''), 'jsonl', 0],
  ['an empty text beside another', `${row('')}\n${row('Ann', [0, 3, 'PER'])}`, 'jsonl', 1],
  ['blanks', row(' \t\n '), 'jsonl', 0],
  ['one sign', row('@', [0, 1, 'PER']), 'jsonl', 1],
  ['a text of 100,000 characters', row(long, [long.length - 3, long.length, 'PER']), 'jsonl', 1],
  ['one word of 100,000 letters', row('a'.repeat(100_000), [0, 100_000, 'PER']), 'jsonl', 1],
  ['no entity at all', `${row('the cat')}\n${row('met')}`, 'jsonl', 0],
  ['spans side by side', row('AnnBob', [0, 3, 'PER'], [3, 6, 'PER']), 'jsonl', 2],
  ['spans in any order', row('Ann met Bob', [8, 11, 'PER'], [0, 3, 'PER']), 'jsonl', 2],
  ['CRLF and tabs', 'Ann\tB-PER\r\nLee\tI-PER\r\n\r\nYork\tB-LOC\r\n', 'conll', 2],
  ['an inside without a beginning', 'the O\nAnn I-PER\nmet O\nYork I-LOC\nBob I-PER\n', 'conll', 3],
  ['another type inside', 'Ann B-PER\nYork I-LOC\n', 'conll', 2],
  ['no empty line at the end, and many', '\n\n\nAnn B-PER\n\n\n\nBob B-PER', 'conll', 2],
  ['a byte order mark', '\uFEFFAnn B-PER\n', 'conll', 1],
  ['noncharacters and lone surrogates', row('Ann\uFDD1 met \uFDD0Bob\\ud800', [0, 3, 'PER']), 'jsonl', 1],
  ['right to left, marks and emoji', row('😀 أحمد e\u0301ve', [2, 6, 'PER'], [7, 11, 'PER']), 'jsonl', 2],
])('%s is read', async (_, content, ending, entities) => {
  const given = settings(content, ending);
  const { clean } = await evaluate(given);
  expect(clean.tags?.strict.recall.n).toBe(entities);
  const report = await attack({ ...given, attacks: ['deepwordbug', 'zero-width'], touch: 'inside', queryBudget: 30 });
  expect(report.attacks.map(({ errored }) => errored)).toEqual([0, 0]);
  expect(report.tags?.recall.n ?? 0).toBe(entities);
});

test.each([
  ['nested', row('Ann Lee', [0, 7, 'PER'], [4, 7, 'LOC']), 'jsonl', 'DATA_DAMAGED'],
  ['overlapping', row('Ann Lee met', [0, 7, 'PER'], [4, 11, 'LOC']), 'jsonl', 'DATA_DAMAGED'],
  ['twice the same', row('Ann', [0, 3, 'PER'], [0, 3, 'PER']), 'jsonl', 'DATA_DAMAGED'],
  ['out of range', row('Ann', [1, 9, 'PER']), 'jsonl', 'DATA_DAMAGED'],
  ['negative', row('Ann', [-1, 2, 'PER']), 'jsonl', 'DATA_DAMAGED'],
  ['backwards', row('Ann', [2, 1, 'PER']), 'jsonl', 'DATA_DAMAGED'],
  ['empty', row('Ann', [1, 1, 'PER']), 'jsonl', 'DATA_DAMAGED'],
  ['of blanks', row('Ann  met', [3, 5, 'PER']), 'jsonl', 'DATA_DAMAGED'],
  ['of an empty token', tokens(['', 'met'], ['B-PER', 'O']), 'jsonl', 'DATA_DAMAGED'],
  ['of an unknown type', row('Ann', [0, 3, 'ALIEN']), 'jsonl', 'LABELS_DAMAGED'],
  ['without a type', row('Ann', [0, 3, '']), 'jsonl', 'DATA_DAMAGED'],
  ['a beginning of nothing', 'Ann B-\n', 'conll', 'DATA_DAMAGED'],
  ['an unknown prefix', 'Ann Q-PER\n', 'conll', 'LABELS_DAMAGED'],
  ['a token without a tag', 'Ann B-PER\nLee\n', 'conll', 'DATA_DAMAGED'],
  ['fewer tags than tokens', tokens(['Ann', 'met'], ['O']), 'jsonl', 'DATA_DAMAGED'],
  ['no tag', tokens(['Ann', 'met'], ['O', null]), 'jsonl', 'DATA_DAMAGED'],
  ['tags in lists', tokens(['Ann'], [['B-PER']]), 'jsonl', 'DATA_DAMAGED'],
  ['an empty file', '', 'conll', 'EXAMPLES_TOO_FEW'],
])('spans %s are refused by name', async (_, content, ending, code) => {
  await refusal(evaluate(settings(content, ending)), code);
});
