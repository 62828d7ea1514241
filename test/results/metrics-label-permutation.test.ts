import fc from 'fast-check';
import { expect, test } from 'vitest';
import { random } from '../../src/core/random.js';
import { cellsOf } from '../../src/results/clean/confusion.js';
import { labelPermutation as permutationOf } from '../../src/results/clean/label-permutation.js';
import { tries } from '../cover.js';
import { matrix } from '../matrix.js';

const labelPermutation = (confusion: number[][]) => permutationOf(cellsOf({ confusion }), confusion.length);

test('two labels the wrong way round', () => {
  expect(labelPermutation(matrix('20 80; 85 15'))).toEqual([1, 0]);
});

test('three labels turned round', () => {
  expect(labelPermutation(matrix('3 50 2; 1 4 60; 55 3 2'))).toEqual([1, 2, 0]);
});

test.each<[why: string, confusion: number[][]]>([
  ['a good model', matrix('80 20; 15 85')],
  ['a mediocre one, above chance', matrix('60 40; 40 60')],
  ['one at chance that no renaming helps', matrix('50 50; 50 50')],
  ['a bad one on few examples: could be luck', matrix('2 5; 4 2')],
  ['one that always answers the rarer label', matrix('0 90; 0 10')],
  [
    'six labels, two of them swapped: above chance',
    [0, 1, 3, 2, 4, 5].map((to) => Array.from({ length: 6 }, (_, at) => (at === to ? 30 : 1))),
  ],
  ['one label', [[5]]],
  ['no examples', matrix('0 0; 0 0')],
  ['no labels', []],
])('undefined for %s', (_, confusion) => {
  expect(labelPermutation(confusion)).toBeUndefined();
});

test('labels that do not occur stay where they are, if they can', () => {
  const none = [0, 0, 0, 0];
  expect(labelPermutation([[5, 95, 0, 0], [90, 10, 0, 0], none, none])).toEqual([1, 0, 2, 3]);
});

test('any derangement of a good model is found', () => {
  const sizes = fc.integer({ min: 2, max: 12 });
  fc.assert(
    fc.property(sizes, fc.integer(), (size, seed) => {
      const turned = random(seed, 'permutation').shuffle(Array.from({ length: size }, (_, at) => at));
      if (turned.filter((to, at) => to === at).length > 0) return;
      const confusion = turned.map((to) => Array.from({ length: size }, (_, at) => (at === to ? 100 : 2)));
      expect(labelPermutation(confusion)).toEqual(turned);
    }),
  );
});

function* permutations(items: readonly number[]): Generator<number[]> {
  if (items.length === 0) yield [];
  for (const first of items)
    for (const rest of permutations(items.filter((one) => one !== first))) yield [first, ...rest];
}

test('what it finds is the best of all permutations', () => {
  let compared = 0;
  const size = 5;
  const off = fc.array(fc.array(fc.nat(60), { minLength: size, maxLength: size }), {
    minLength: size,
    maxLength: size,
  });
  fc.assert(
    fc.property(off, (counts) => {
      const confusion = counts.map((row, at) => row.with(at, 0));
      const right = (to: readonly number[]) => to.reduce((total, column, row) => total + confusion[row][column], 0);
      const found = labelPermutation(confusion);
      if (found === undefined) return;
      compared++;
      expect(right(found)).toBe(Math.max(...[...permutations([0, 1, 2, 3, 4])].map(right)));
    }),
  );
  expect(compared).toBeGreaterThan(tries(20));
});

test('answers that have nothing to do with the labels are hardly ever called permuted', () => {
  let called = 0;
  for (let run = 0; run < 1000; run++) {
    const stream = random(run, 'answers');
    const confusion = Array.from({ length: 6 }, () => new Array<number>(6).fill(0));
    for (let at = 0; at < 120; at++) confusion[stream.int(6)][stream.int(6)] += 1;
    if (labelPermutation(confusion)) called++;
  }
  expect(called).toBeLessThan(10);
});
