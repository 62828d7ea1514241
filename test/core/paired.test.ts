import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { random } from '../../src/core/random.js';
import { holm, holmOver, mcnemarExact, pairedDifference } from '../../src/core/statistics/paired.js';

const counts = fc.record({
  both: fc.nat(40),
  onlyA: fc.nat(40),
  onlyB: fc.nat(40),
  neither: fc.nat(40),
});

describe('paired difference', () => {
  test.each([
    { both: 20, onlyA: 2, onlyB: 12, neither: 16 },
    { both: 0, onlyA: 0, onlyB: 12, neither: 0 },
    { both: 97, onlyA: 1, onlyB: 0, neither: 2 },
    // Answers that go against each other: the correlation is below 0, and has no correction.
    { both: 2, onlyA: 12, onlyB: 14, neither: 2 },
  ])('the formula written out: %o', ({ both, onlyA, onlyB, neither }) => {
    const z = 1.959963984540054;
    const n = both + onlyA + onlyB + neither;
    const score = (p: number): [number, number] => {
      const root = z * Math.sqrt(z * z + 4 * n * p * (1 - p));
      return [(2 * n * p + z * z - root) / (2 * (n + z * z)), (2 * n * p + z * z + root) / (2 * (n + z * z))];
    };
    const [pb, pa] = [(both + onlyB) / n, (both + onlyA) / n];
    const [[lb, ub], [la, ua]] = [score(pb), score(pa)];
    const q = (both + onlyA) * (onlyB + neither) * (both + onlyB) * (onlyA + neither);
    const raw = both * neither - onlyA * onlyB;
    const phi = q === 0 ? 0 : (raw > n / 2 ? raw - n / 2 : raw > 0 ? 0 : raw) / Math.sqrt(q);
    const low = pb - pa - Math.sqrt((pb - lb) ** 2 - 2 * phi * (pb - lb) * (ua - pa) + (ua - pa) ** 2);
    const high = pb - pa + Math.sqrt((ub - pb) ** 2 - 2 * phi * (ub - pb) * (pa - la) + (pa - la) ** 2);
    const difference = pairedDifference({ both, onlyA, onlyB, neither });
    expect(difference.value).toBeCloseTo(pb - pa, 12);
    expect(difference.low).toBeCloseTo(Math.max(-1, low), 12);
    expect(difference.high).toBeCloseTo(Math.min(1, high), 12);
  });

  test('no examples, no number', () => {
    expect(pairedDifference({ both: 0, onlyA: 0, onlyB: 0, neither: 0 })).toEqual({
      value: null,
      low: null,
      high: null,
      n: 0,
    });
  });

  test('exchanging A and B negates the difference; the interval contains the value and stays within [-1, 1]', () => {
    fc.assert(
      fc.property(counts, (c) => {
        fc.pre(c.both + c.onlyA + c.onlyB + c.neither > 0);
        const forth = pairedDifference(c) as { value: number; low: number; high: number };
        const back = pairedDifference({ ...c, onlyA: c.onlyB, onlyB: c.onlyA }) as typeof forth;
        expect(forth.value).toBeCloseTo(-back.value, 12);
        expect(forth.low).toBeCloseTo(-back.high, 12);
        expect(forth.low).toBeLessThanOrEqual(forth.value);
        expect(forth.high).toBeGreaterThanOrEqual(forth.value);
        expect(forth.low).toBeGreaterThanOrEqual(-1);
        expect(forth.high).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('covers the true difference about 95 times in 100', () => {
    const draw = random(7, 'coverage');
    const cells = [0.5, 0.08, 0.17, 0.25] as const; // both, onlyA, onlyB, neither
    let covered = 0;
    for (let trial = 0; trial < 2000; trial += 1) {
      const seen = [0, 0, 0, 0];
      for (let i = 0; i < 100; i += 1) {
        const u = draw.unit();
        seen[u < 0.5 ? 0 : u < 0.58 ? 1 : u < 0.75 ? 2 : 3]! += 1;
      }
      const [both, onlyA, onlyB, neither] = seen as [number, number, number, number];
      const { low, high } = pairedDifference({ both, onlyA, onlyB, neither });
      if ((low as number) <= cells[2] - cells[1] && cells[2] - cells[1] <= (high as number)) covered += 1;
    }
    expect(covered / 2000).toBeGreaterThan(0.935);
    expect(covered / 2000).toBeLessThan(0.98);
  });
});

describe("McNemar's exact test", () => {
  test.each([
    [0, 0, 1],
    [5, 5, 1],
    [0, 5, 2 / 32],
    [1, 5, (2 * (1 + 6)) / 64],
    [2, 8, (2 * (1 + 10 + 45)) / 1024],
    [8, 2, (2 * (1 + 10 + 45)) / 1024],
  ])('%i against %i', (onlyA, onlyB, p) => {
    expect(mcnemarExact(onlyA, onlyB)).toBeCloseTo(p, 12);
  });

  test('holds where 2^-n underflows', () => {
    const p = mcnemarExact(2400, 2600);
    expect(p).toBeGreaterThan(0.004); // normal approximation: z = 199 / sqrt(5000) = 2.81, p = 0.0049
    expect(p).toBeLessThan(0.006);
    expect(mcnemarExact(0, 2000)).toBe(0);
  });
});

test('Holm: each at least as large as before, in the same order, the smallest times their number', () => {
  expect(holm([0.01, 0.04, 0.03, 0.005])).toEqual([0.03, 0.06, 0.06, 0.02]);
  expect(holm([0.9, 0.8])).toEqual([1, 1]);
  expect(holm([])).toEqual([]);
});

test('Holm over those that have a p-value: the others stay unknown and do not count', () => {
  expect(holmOver([0.01, null, 0.04, 0.03, null, 0.005])).toEqual([0.03, null, 0.06, 0.06, null, 0.02]);
  expect(holmOver([null])).toEqual([null]);
});
