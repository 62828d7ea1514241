/** Which examples -n takes with its options, and when the first of a file are no sample of it. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CheckedDataset } from '../../datasets/index.js';
import { selectExamples } from '../../src/app/data/selection.js';
import { random } from '../../src/core/random.js';
import type { Example } from '../../src/plugin.js';
import { labelsDiffer } from '../../src/results/clean/label-shift.js';

/** Examples of these labels; `passes` counts how often they are read. */
function data(labels: readonly number[]): CheckedDataset & { passes: number } {
  const counts = [0, 1].map((label) => labels.filter((each) => each === label).length);
  return {
    name: 'toy.tsv',
    labels: ['ham', 'spam'],
    source: { url: '', license: '', sha256: '' },
    size: labels.length,
    labelCounts: counts,
    passes: 0,
    async *examples() {
      this.passes++;
      for (const [at, label] of labels.entries()) yield { id: String(at + 1), text: `text ${at}`, label };
    },
  };
}

const alternating = (size: number) => data(Array.from({ length: size }, (_, at) => at % 2));

async function idsOf(dataset: CheckedDataset, most = Number.POSITIVE_INFINITY): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of dataset.examples() as AsyncIterable<Example>) {
    if (ids.length === most) break;
    ids.push(id);
  }
  return ids;
}

test('a shuffled order has each example once, and the seed alone decides it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 3000 }), fc.nat(1000), async (size, seed) => {
      const ids = await idsOf(await selectExamples(alternating(size), { shuffle: true, seed }));
      expect([...ids].sort((a, b) => Number(a) - Number(b))).toEqual(await idsOf(alternating(size)));
      expect(await idsOf(await selectExamples(alternating(size), { shuffle: true, seed }))).toEqual(ids);
    }),
    { numRuns: 20 },
  );
});

test('the first n are the same whatever n is, and an offset leaves out the first of the same order', async () => {
  const whole = await idsOf(await selectExamples(alternating(9000), { shuffle: true, seed: 3 }));
  expect(await idsOf(await selectExamples(alternating(9000), { shuffle: true, seed: 3, numExamples: 50 }), 50)).toEqual(
    whole.slice(0, 50),
  );
  const behind = await selectExamples(alternating(9000), { shuffle: true, seed: 3, offset: 4000 });
  expect(await idsOf(behind)).toEqual(whole.slice(4000));
  expect(behind.size).toBe(5000);
  expect(await idsOf(await selectExamples(alternating(9000), { offset: 8998 }))).toEqual(['8999', '9000']);
  expect(await idsOf(await selectExamples(alternating(9000), { shuffle: true, seed: 4 }))).not.toEqual(whole);
});

test('a sample costs one pass over the file, and the whole of it a few', async () => {
  const file = alternating(9000);
  const selected = await selectExamples(file, { shuffle: true, seed: 3, numExamples: 200 });
  file.passes = 0;
  await idsOf(selected, 200);
  expect(file.passes).toBe(1);
  file.passes = 0;
  await idsOf(selected);
  expect(file.passes).toBe(3);
});

test('an offset behind the last example is refused', async () => {
  await expect(selectExamples(alternating(10), { offset: 10 })).rejects.toMatchObject({
    code: 'FLAG_INVALID',
    exit: 2,
  });
});

describe('the first n are compared with the file', () => {
  const sorted = () => data(Array.from({ length: 1000 }, (_, at) => (at < 500 ? 0 : 1)));
  async function warnings(dataset: CheckedDataset, selection: object): Promise<string[]> {
    const found: string[] = [];
    await selectExamples(dataset, selection, (message) => found.push(message));
    return found;
  }

  test('in a file in order of its labels they differ', async () => {
    expect(await warnings(sorted(), { numExamples: 200 })).toEqual([
      expect.stringMatching(
        /^the first 200 examples of toy\.tsv differ .*100\.0 % of them are ham, 50\.0 % .*shuffle=true/,
      ),
    ]);
  });

  test.each([
    ['shuffled', sorted(), { numExamples: 200, shuffle: true }],
    ['from the middle', sorted(), { numExamples: 200, offset: 400 }],
    ['all of them', sorted(), { numExamples: 0 }],
    ['in turn', alternating(1000), { numExamples: 200 }],
    ['of one label', data(new Array<number>(300).fill(1)), { numExamples: 20 }],
  ])('%s they do not', async (_, dataset, selection) => {
    expect(await warnings(dataset, selection)).toEqual([]);
  });

  test('a random sample is taken for another file in about 1 of 100 draws', () => {
    const labels = Array.from({ length: 2000 }, (_, at) => (at % 10 < 6 ? 0 : at % 10 < 9 ? 1 : 2));
    const counts = (of: readonly number[]) => [0, 1, 2].map((label) => of.filter((each) => each === label).length);
    const draws = Array.from({ length: 2000 }, (_, at) =>
      labelsDiffer(counts(random(at, 'draw').shuffle(labels).slice(0, 300)), counts(labels)),
    );
    const rate = draws.filter(Boolean).length / draws.length;
    expect(rate).toBeGreaterThan(0.004);
    expect(rate).toBeLessThan(0.018);
  });
});
