import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wilson } from '../../src/core/statistics/stats.js';

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
