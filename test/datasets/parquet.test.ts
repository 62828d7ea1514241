import { expect, test } from 'vitest';
import { refusal } from '../refusal.js';
import { parquetOf } from './parquet.js';
import { opened, rowsOf } from './write.js';

const columns = [
  { name: 'idx', values: [0n, 1n, 2n] },
  { name: 'sentence', values: ['good film', 'café 😀', ''] },
  { name: 'label', values: [1n, 0n, 1n] },
];

test.each([3, 2, 1])('row groups of %i rows', async (size) => {
  const data = await opened('a.parquet', parquetOf(columns, size));
  expect(await rowsOf(data)).toEqual([
    ['good film', '1'],
    ['café 😀', '0'],
    ['', '1'],
  ]);
  expect(data.size).toBe(3);
});

test('errors name the row', async () => {
  const content = parquetOf(columns.with(2, { name: 'label', values: ['pos', 'pos', ' '] }), 2);
  await refusal(opened('a.parquet', content), 'LABELS_DAMAGED');
});

test('other columns are named', async () => {
  await refusal(opened('a.parquet', parquetOf(columns.slice(0, 2), 3)));
});

test('a cut file is refused', async () => {
  await refusal(opened('a.parquet', parquetOf(columns, 3).slice(0, -20)), 'DATA_DAMAGED');
});
