import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Outcome, Quality } from '../../src/core/outcome.js';
import { quality as measure } from '../../src/results/measures/quality.js';

const measured = (quality: Quality, adversarial?: string) => ({ quality, adversarial }) as Outcome;

const fold = (list: readonly Quality[]) => {
  const all = measure.fold();
  for (const [at, quality] of list.entries()) all.add(measured(quality), at);
  return all.value([]);
};

test('means', () => {
  const metrics = fold([
    { editDistance: 1, similarity: 1, readability: 0.5 },
    { editDistance: 4, similarity: 0.5, readability: 0 },
    { editDistance: 1, similarity: 0, readability: 1 },
  ]);
  expect(metrics).toMatchObject({ n: 3, editDistance: 2, similarity: 0.5, readability: 0.5 });
  expect(fold([])).toBeUndefined();
});

test('the order of the texts changes no bit', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  const any = fc.record({
    editDistance: fc.nat(500),
    similarity: share,
    readability: share,
  });
  fc.assert(
    fc.property(
      fc.array(any).chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }))),
      ([list, shuffled]) => {
        expect(fold(shuffled)).toEqual(fold(list));
      },
    ),
  );
});

const ANY: Quality = { editDistance: 1, similarity: 1, readability: 1 };

/** How many texts of each attack another one found too; of each attack its text of each example, or none. */
function duplicates(texts: readonly (readonly (string | undefined)[])[]): (number | undefined)[] {
  const folds = texts.map((of) => {
    const fold = measure.fold();
    for (const [at, text] of of.entries()) fold.add(measured(ANY, text), at);
    return fold;
  });
  return folds.map((fold) => fold.value(folds.filter((other) => other !== fold))?.duplicates);
}

test('duplicates: the same text of the same example by another attack', () => {
  expect(duplicates([['x', 'x', 'y'], ['x', 'y', undefined], ['x']])).toEqual([1, 1, 1]);
});

test('duplicates of many texts', () => {
  const all = Array.from({ length: 1000 }, (_, at) => at);
  expect(duplicates([all.map(String), all.map((at) => `${at % 3 === 0 ? at : -at}`)])).toEqual([334, 334]);
});

test('duplicates of more texts than are remembered are an estimate', () => {
  const all = Array.from({ length: 150_000 }, (_, at) => at);
  const [one = 0, other] = duplicates([all.map(String), all.map((at) => `${at % 3 === 0 ? at : -at}`)]);
  expect(other).toBe(one);
  expect(one).not.toBe(50_000);
  expect(Math.abs(one - 50_000)).toBeLessThan(1500);
});
