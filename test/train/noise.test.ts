import { describe, expect, test } from 'vitest';
import { random } from '../../src/core/random.js';
import { dropoutMask, hideTokens } from '../../src/train/noise.js';

describe('dropoutMask', () => {
  test.each([0.1, 0.3, 0.5])('zeroes a share of %d and keeps the mean at 1', (rate) => {
    const mask = new Float32Array(100_001);
    dropoutMask(mask, rate, random(1, 'mask'));
    const zeros = mask.filter((value) => value === 0).length / mask.length;
    // Four standard deviations of a binomial share.
    const tolerance = 4 * Math.sqrt((rate * (1 - rate)) / mask.length);
    expect(Math.abs(zeros - rate)).toBeLessThan(tolerance);
    expect(Math.abs(mask.reduce((sum, value) => sum + value, 0) / mask.length - 1)).toBeLessThan(
      tolerance / (1 - rate),
    );
    expect(new Set(mask)).toEqual(new Set([0, Math.fround(65536 / (65536 - Math.round(rate * 65536)))]));
  });

  test('neighbours and neighbouring streams are independent', () => {
    const [a, b] = ['a', 'b'].map((label) => {
      const mask = new Float32Array(50_000);
      dropoutMask(mask, 0.5, random(1, label));
      return mask;
    });
    const agree = (x: Float32Array, y: Float32Array) => x.filter((value, at) => value === y[at]).length / x.length;
    expect(Math.abs(agree(a, b) - 0.5)).toBeLessThan(0.01);
    expect(Math.abs(agree(a.subarray(1), a.subarray(0, -1)) - 0.5)).toBeLessThan(0.01);
  });
});

test('hideTokens spares the first and the last token', () => {
  const ids = Int32Array.of(2, 10, 11, 12, 3);
  expect([...hideTokens(ids, 1, 1, random(1, 'x')).ids]).toEqual([2, 1, 1, 1, 3]);
});

test('hideTokens hides a word of characters whole, as one unknown word', () => {
  const ids = Int32Array.of(2, 10, 21, 22, 11, 12, 23, 3);
  const hide = (rate: number, seed = 1) => [...hideTokens(ids, rate, 1, random(seed, 'x'), (id) => id > 20).ids];
  expect(hide(1)).toEqual([2, 1, 1, 1, 3]);
  expect(hide(0)).toEqual([...ids]);
  const words = [[10, 21, 22], [11], [12, 23]];
  const kinds = new Set(Array.from({ length: 40 }, (_, seed) => hide(0.5, seed).join(' ')));
  const all = [0, 1, 2, 3, 4, 5, 6, 7].map((bits) =>
    [2, ...words.flatMap((word, at) => ((bits >> at) & 1 ? [1] : word)), 3].join(' '),
  );
  expect([...kinds].sort()).toEqual(all.sort());
});
