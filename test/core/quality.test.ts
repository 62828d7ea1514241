import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Outcome, Quality } from '../../src/core/outcome.js';
import { duplicatesFold, qualityFold } from '../../src/core/quality.js';

const fold = (list: readonly Quality[]) => {
  const all = qualityFold();
  for (const quality of list) all.add(quality);
  return all.metrics();
};

test('means, and the geometric mean of the ratios', () => {
  const metrics = fold([
    { editDistance: 1, perplexityRatio: 2, similarity: 1, readability: 0.5 },
    { editDistance: 4, perplexityRatio: 8, similarity: 0.5, readability: 0 },
    { editDistance: 1, perplexityRatio: null, similarity: 0, readability: 1 },
  ]);
  expect(metrics).toMatchObject({ n: 3, editDistance: 2, similarity: 0.5, readability: 0.5 });
  expect(metrics?.perplexityRatio).toBeCloseTo(4, 5);
  expect(fold([])).toBeUndefined();
});

test('the order of the texts changes no bit', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  const any = fc.record({
    editDistance: fc.nat(500),
    perplexityRatio: fc.option(fc.double({ min: 1e-3, max: 1e6, noNaN: true })),
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

const found = (attack: string, adversarial?: string) => ({ attack, ...(adversarial && { adversarial }) }) as Outcome;

test('duplicates: the same text of the same example by another attack', () => {
  const duplicates = duplicatesFold();
  duplicates.add(0, found('a', 'x'));
  duplicates.add(1, found('a', 'x'));
  duplicates.add(2, found('a', 'y'));
  duplicates.add(0, found('b', 'x'));
  duplicates.add(1, found('b', 'y'));
  duplicates.add(2, found('b'));
  duplicates.add(0, found('c', 'x'));
  expect([...duplicates.counts()]).toEqual([
    ['a', 1],
    ['b', 1],
    ['c', 1],
  ]);
});

test('duplicates of many texts', () => {
  const duplicates = duplicatesFold();
  for (let at = 0; at < 1000; at++) {
    duplicates.add(at, found('a', `${at}`));
    duplicates.add(at, found('b', `${at % 3 === 0 ? at : -at}`));
  }
  expect(Object.fromEntries(duplicates.counts())).toEqual({ a: 334, b: 334 });
});
