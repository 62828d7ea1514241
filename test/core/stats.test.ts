import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  clopperPearson,
  cohensKappa,
  decidingSize,
  upperTail,
  wilson,
  wilsonBounds,
} from '../../src/core/statistics/stats.js';

describe('wilson', () => {
  // Newcombe 1998, "Two-sided confidence intervals for the single proportion", table I, method 3.
  test.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('%i of %i', (successes, n, low, high) => {
    const rate = wilson(successes, n);
    expect(rate).toMatchObject({ value: successes / n, n });
    expect(rate.low).toBeCloseTo(low, 4);
    expect(rate.high).toBeCloseTo(high, 4);
  });

  test('nothing counted, nothing known', () => {
    expect(wilson(0, 0)).toEqual({ value: null, low: null, high: null, n: 0 });
  });

  test.each([
    [2, 1],
    [-1, 3],
    [0.5, 2],
    [Number.NaN, 2],
  ])('refuses %d of %d', (successes, n) => {
    expect(() => wilson(successes, n)).toThrow(RangeError);
  });

  const counts = fc.nat(10_000).chain((n) => fc.tuple(fc.nat(n), fc.constant(n + 1)));

  test('holds the value, lies in [0, 1], mirrors', () => {
    fc.assert(
      fc.property(counts, ([k, n]) => {
        const { value, low, high } = wilson(k, n) as { value: number; low: number; high: number };
        const mirrored = wilson(n - k, n);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(low).toBeLessThanOrEqual(value);
        expect(high).toBeGreaterThanOrEqual(value);
        expect(high).toBeLessThanOrEqual(1);
        expect(mirrored.low).toBeCloseTo(1 - high, 12);
      }),
    );
  });

  test('its ends are where a test of the proportion just rejects: |p - k/n| = z sqrt(p (1 - p) / n)', () => {
    fc.assert(
      fc.property(counts, fc.double({ min: 0.5, max: 5, noNaN: true }), ([k, n], z) => {
        for (const p of [wilson(k, n, z).low as number, wilson(k, n, z).high as number]) {
          if (p === 0 || p === 1) continue;
          expect(Math.abs(p - k / n)).toBeCloseTo(z * Math.sqrt((p * (1 - p)) / n), 8);
        }
      }),
    );
  });
});

describe('the exact interval', () => {
  // R 4.4, binom.test.
  test.each([
    [7, 20, 0.1539092, 0.5921885],
    [1, 10, 0.0025286, 0.4450161],
    [0, 10, 0, 0.3084971],
    [10, 10, 0.6915029, 1],
  ])('%i of %i', (successes, n, low, high) => {
    const found = clopperPearson(successes, n);
    expect(found).toMatchObject({ value: successes / n, n });
    expect(found.low).toBeCloseTo(low, 6);
    expect(found.high).toBeCloseTo(high, 6);
  });

  test.each([
    [0, 0],
    [2, 1],
    [-1, 3],
    [0.5, 2],
    [1, 2.5],
  ])('refuses %d of %d', (successes, n) => {
    expect(() => clopperPearson(successes, n)).toThrow(RangeError);
  });
});

test.each([
  [-1, 0.8413447460685429],
  [0, 0.5],
  [1, 0.15865525393145707],
  [1.959963984540054, 0.025],
  [4, 3.1671241833119965e-5],
  [5, 2.866515718791946e-7],
  [8, 6.220960574271819e-16],
])('a standard normal is above %d with probability %d, to 1 %%', (z, p) => {
  expect(upperTail(z) / p).toBeCloseTo(1, 2);
});

describe("Cohen's kappa", () => {
  test.each([
    // Agreed 0.7, by chance 0.5; sqrt(0.7 * 0.3 / 50) / 0.5.
    [
      [
        [20, 5],
        [10, 15],
      ],
      0.4,
      0.12961481396815722,
    ],
    // Three labels: agreed 7 of 9, by chance (3 * 4 + 3 * 3 + 3 * 2) / 81.
    [
      [
        [3, 0, 0],
        [1, 2, 0],
        [0, 1, 2],
      ],
      (7 / 9 - 1 / 3) / (2 / 3),
      (1.5 * Math.sqrt(14 / 81)) / 3,
    ],
  ])('%j', (table, kappa, error) => {
    const found = cohensKappa(table);
    expect(found?.kappa).toBeCloseTo(kappa, 12);
    expect(found?.error).toBeCloseTo(error, 12);
  });

  test('is unknown where nobody judged, or chance alone agrees', () => {
    expect(cohensKappa([])).toBeNull();
    expect(
      cohensKappa([
        [0, 0],
        [0, 0],
      ]),
    ).toBeNull();
    expect(
      cohensKappa([
        [4, 0],
        [0, 0],
      ]),
    ).toBeNull();
  });
});

describe('examples that decide', () => {
  test('of a proportion: the textbook size of a test of 0.9 against 0.8 with power 0.8', () => {
    expect(decidingSize({ value: 0.9, ...wilsonBounds(0.9, 50), n: 50 }, 0.8)).toBe(108);
  });

  test('of another figure: by the width of its interval', () => {
    // ((1.96 + 0.84) * 10 * 2 / (2 * 1.96))^2 = 204.3
    expect(decidingSize({ value: 2, low: 1, high: 3, n: 100 }, 1)).toBe(205);
    // From 0 to 1, too, where its interval is not a proportion's: ((1.96 + 0.84) * 10 * 0.1 / (2 * 1.96) / 0.1)^2 = 51.08
    expect(decidingSize({ value: 0.9, low: 0.85, high: 0.95, n: 100 }, 0.8)).toBe(52);
    expect(decidingSize({ value: 2, low: 1.5, high: 2.5, n: 100 }, 2)).toBe(Number.POSITIVE_INFINITY);
  });
});
