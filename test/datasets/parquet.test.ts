import { expect, test } from 'vitest';
import { parquetOf } from './parquet.js';
import { opened, refusal, rowsOf } from './write.js';

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
  expect(await refusal('a.parquet', content)).toMatch(/^LABELS_DAMAGED a\.parquet:3: expected a value for "label"/);
});

test('other columns are named', async () => {
  expect(await refusal('a.parquet', parquetOf(columns.slice(0, 2), 3))).toMatch(
    /expected a label column, got columns "idx", "sentence"/,
  );
});

test('a cut file is refused', async () => {
  expect(await refusal('a.parquet', parquetOf(columns, 3).slice(0, -20))).toMatch(
    /^DATA_DAMAGED a\.parquet: expected a parquet file/,
  );
});
