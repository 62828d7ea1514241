import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bestRows, type RowSearch } from '../../src/search/best-rows.js';

const HIDDEN = 5;

/** Products as a worker gives them: in single precision, added in another order. */
const single = (table: Float32Array) => async (vectors: Float32Array) => {
  const rows = table.length / HIDDEN;
  return Float32Array.from({ length: (vectors.length / HIDDEN) * rows }, (_, at) => {
    const [vector, row] = [Math.floor(at / rows), at % rows];
    let sum = 0;
    for (let k = HIDDEN - 1; k >= 0; k--) {
      sum = Math.fround(sum + Math.fround(vectors[vector * HIDDEN + k]! * table[row * HIDDEN + k]!));
    }
    return sum;
  });
};

/** Few values, so that there are ties and near ties. */
const value = fc.constantFrom(-1, 0, 1, 1 + 2 ** -23, 1 + 2 ** -22, 0.1, 3e4);
const rows = (least: number, most: number) =>
  fc
    .array(fc.array(value, { minLength: HIDDEN, maxLength: HIDDEN }), { minLength: least, maxLength: most })
    .map((some) => some.map((row) => Float32Array.from(row)));

test('the best rows by approximate products are the best rows by exact ones, in the same order', async () => {
  await fc.assert(
    fc.asyncProperty(
      rows(1, 40),
      rows(1, 4),
      fc.integer({ min: 1, max: 12 }),
      fc.boolean(),
      async (entries, vectors, count, near) => {
        const table = Float32Array.from(entries.flatMap((row) => [...row]));
        const ids = Int32Array.from(entries.keys()).filter((id) => id % 7 !== 3);
        const squares = entries.map((row) => row.reduce((sum, x) => sum + x * x, 0));
        const search: Omit<RowSearch, 'model'> = {
          table,
          ids,
          count,
          ...(near && { score: (product: number, id: number) => 2 * product - squares[id]!, slope: 2 }),
        };
        const exact = await bestRows({ ...search, model: { hidden: HIDDEN } }, vectors);
        const model = { hidden: HIDDEN, tableProducts: single(table) };
        expect(await bestRows({ ...search, model }, vectors)).toEqual(exact);
        exact.forEach((found) => {
          expect(found).toHaveLength(Math.min(count, ids.length));
          expect(found).toEqual(found.toSorted((a, b) => b.score - a.score || a.id - b.id));
        });
      },
    ),
  );
});

test('where a product is no number, all rows are scored', async () => {
  const table = Float32Array.of(1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3, 0, 0, 0, 0);
  const model = { hidden: HIDDEN, tableProducts: async () => new Float32Array(3).fill(Number.NaN) };
  const search = { model, table, ids: Int32Array.of(0, 1, 2), count: 1 };
  expect(await bestRows(search, [Float32Array.of(1, 0, 0, 0, 0)])).toEqual([[{ id: 2, score: 3 }]]);
});
