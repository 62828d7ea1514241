import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDataset, perEntity } from '../../datasets/index.js';
import { collect } from '../../src/core/take.js';
import { refusal } from '../refusal.js';

const folder = mkdtempSync(join(tmpdir(), 'robust-tags-'));
const file = (name: string, content: string): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};
const open = (path: string, options = {}) => openDataset(path, { tags: true, ...options });
const shown = async (path: string, options = {}) =>
  (await collect((await open(path, options)).examples())).map(({ text, entities = [] }) =>
    [text, ...entities.map(({ start, end, type }) => `${type} ${text.slice(start, end)}`)].join(' | '),
  );

test('CoNLL: the last column, -DOCSTART- and empty lines', async () => {
  const path = file(
    'a.conll',
    '-DOCSTART- -X- O O\n\nAnn NNP B-NP B-PER\nLee NNP I-NP I-PER\nleft VBD B-VP O\n\n\nYork\tO\n',
  );
  expect(await shown(path)).toEqual(['Ann Lee left | PER Ann Lee', 'York']);
  await refusal(open(file('b.conll', 'Ann B-PER\nLee\n')));
});

test('JSON lines: offsets in code points, other names of keys, token lists', async () => {
  const path = file(
    'a.jsonl',
    [
      { text: '😀 Ann', spans: [{ start: 2, end: 5, type: 'PER' }] },
      { text: '', spans: [] },
      { text: ' Bob ', spans: [{ start_position: 1, end_position: 4, entity_type: 'PER' }] },
    ]
      .map((row) => JSON.stringify(row))
      .join('\n'),
  );
  expect(await shown(path)).toEqual(['😀 Ann | PER Ann', '', ' Bob  | PER Bob']);
  const tokens = file('b.jsonl', JSON.stringify({ tokens: ['Ann', 'Lee', 'left'], ner_tags: ['B-PER', 'I-PER', 'O'] }));
  expect(await shown(tokens)).toEqual(['Ann Lee left | PER Ann Lee']);
});

test.each([
  { text: 'Ann', spans: [{ start: 0.5, end: 2, type: 'PER' }] },
  { text: 'Ann', spans: 'PER' },
  { tokens: ['Ann'], tags: [3] },
])('hostile spans %#', async (row) => {
  await refusal(open(file('hostile.jsonl', JSON.stringify(row))), 'DATA_DAMAGED');
});

test('types that the model lacks are named; a type mapped to O is no entity', async () => {
  const path = file('types.conll', 'Ann B-person\nYork B-place\n');
  await refusal(open(path, { labels: ['person', 'O'] }));
  expect(await shown(path, { labels: ['PERSON', 'O'], labelMap: { place: 'O' } })).toEqual(['Ann York | PERSON Ann']);
});

test('examples of single entities, and of the rest of each text', async () => {
  const dataset = await open(file('entities.conll', 'Ann B-PER\nYork B-LOC\n\nhello O\n\nBob B-PER\n'));
  const all = await collect(perEntity(dataset, 2).examples());
  expect(all.map(({ id, label, entity }) => [id, dataset.labels[label], entity])).toEqual([
    ['1#1', 'PER', 0],
    ['1#2', 'LOC', 1],
    ['1#rest', 'O', undefined],
    ['2#rest', 'O', undefined],
  ]);
});

test('entities without --task tags: the error names the flag', async () => {
  const row = JSON.stringify({ text: 'Ann', spans: [{ start: 0, end: 3, type: 'PER' }] });
  await expect(openDataset(file('no-task.jsonl', row), { labels: ['PER', 'O'] })).rejects.toMatchObject({
    hint: expect.stringContaining('--task tags'),
  });
});
