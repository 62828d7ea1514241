import { expect, test } from 'vitest';
import { labelIndices } from '../../datasets/labels.js';

const LABELS = ['NEGATIVE', 'POSITIVE'];
const places = (...values: string[]) => new Map(values.map((value, at) => [value, { path: 'data.tsv', line: at + 1 }]));

test.each([
  ['indices by the names they stand for', { NEGATIVE: 'POSITIVE', POSITIVE: 'NEGATIVE' }, ['0', '1'], [1, 0]],
  ['names by index', { 0: '1', 1: '0' }, ['0', '1'], [1, 0]],
  ['only what the map names', { neg: 'NEGATIVE' }, ['neg', 'positive'], [0, 1]],
  [
    'a key that is written in the file before one that stands for it',
    { 0: 'NEGATIVE', negative: 'POSITIVE' },
    ['0'],
    [0],
  ],
])('a label map renames %s', (_what, map, values, expected) => {
  expect([...labelIndices(places(...values), LABELS, map).values()]).toEqual(expected);
});
