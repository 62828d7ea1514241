import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Outcome, Quality } from '../../src/core/outcome.js';
import { quality as measure } from '../../src/results/measures/quality.js';

const measured = (quality: Quality) => ({ quality }) as Outcome;

const fold = (list: readonly Quality[]) => {
  const all = measure.fold();
  for (const [at, quality] of list.entries()) all.add(measured(quality), at);
  return all.value();
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
