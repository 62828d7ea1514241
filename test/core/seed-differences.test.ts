/** Differences over texts and seeds: the reference values are of scipy 1.11 (t quantiles), the error rates of simulations. */
import { describe, expect, test } from 'vitest';
import { random } from '../../src/core/random.js';
import { type PairedAnswers, seedDifference } from '../../src/core/statistics/seed-differences.js';
import { matrix } from '../matrix.js';

/** Model A answers nothing right. */
const gained = (rows: readonly (number | undefined)[]): PairedAnswers =>
  rows.map((row) => (row === undefined ? undefined : [0, row]));

test('the interval adds the two parts in squares, each with its own quantile', () => {
  const { value, low, high } = seedDifference([
    matrix('0 1; 0 0; 0 0; 1 1; 0 1; 0 0; 0 0; 0 0; 0 0; 0 0'),
    matrix('0 1; 0 1; 0 0; 0 0; 0 0; 0 0; 0 0; 0 0; 1 0; 1 1'),
  ]);
  // Accuracies 0.1, 0.2 and 0.3, 0.3: variances of their means 0.0025 and 0 (1 degree of freedom); over texts 0.0169444 (9); t 12.706205, 2.262157.
  const half = Math.sqrt(0.0025 * 12.706205 ** 2 + 0.016944444 * 2.262157 ** 2);
  expect(value).toBeCloseTo(0.15, 12);
  expect([low, high]).toEqual([expect.closeTo(0.15 - half, 6), expect.closeTo(0.15 + half, 6)]);
});

test('a gain that every seed has on many texts is significant; one text is not', () => {
  const of = (count: number) => gained(Array.from({ length: 100 }, (_, text) => Number(text < count)));
  expect(seedDifference([of(30), of(31), of(29)]).p).toBeLessThan(0.001);
  expect(seedDifference([of(1), of(1), of(1)]).p).toBe(1);
  expect(seedDifference([of(0), of(0)])).toEqual({ value: 0, low: 0, high: 0, p: 1 });
});

test('texts that a seed did not answer are left out of that seed', () => {
  const { value } = seedDifference([gained([1, undefined, 0, 0]), gained([1, 1, undefined, 0])]);
  expect(value).toBeCloseTo((1 / 3 + 2 / 3) / 2, 12);
});

/** Texts of unlike difficulty, and models whose seeds move all their answers: share of comparisons that are called a change. */
function called({ seeds, texts, spread, effect }: Record<'seeds' | 'texts' | 'spread' | 'effect', number>): number {
  const drawn = random(42, 'simulation', ...[seeds, texts, spread, effect].map(String));
  const normal = () => Math.sqrt(-2 * Math.log(1 - drawn.unit())) * Math.cos(2 * Math.PI * drawn.unit());
  const rounds = 400;
  let wrong = 0;
  for (let round = 0; round < rounds; round++) {
    const difficulty = Array.from({ length: texts }, () => 1.5 * normal());
    const answers = (shift: number) => {
      const seed = spread * normal();
      return difficulty.map((each) => Number(each + shift + seed + 0.6 * normal() > 0));
    };
    const rows = Array.from({ length: seeds }, () => {
      const [a, b] = [answers(0), answers(effect)];
      return a.map((right, text) => [right, b[text]!] as const);
    });
    wrong += Number(seedDifference(rows).p < 0.05);
  }
  return wrong / rounds;
}

describe('simulated trainings', () => {
  const CASES = [2, 3].flatMap((seeds) => [0, 0.1, 0.3, 0.6].map((spread) => ({ seeds, spread })));

  // 5 % with two and a half standard errors of 400 rounds; the rates of 4,000 rounds are 0.1 to 4.8 %.
  test.each(CASES)('without a change at most 5 % are called one: $seeds seeds, spread $spread', ({ seeds, spread }) => {
    expect(called({ seeds, spread, texts: 60, effect: 0 })).toBeLessThan(0.078);
  });

  test('a gain of 23 points is found by three seeds, seldom by two', () => {
    expect(called({ seeds: 3, spread: 0.1, texts: 200, effect: 1 })).toBeGreaterThan(0.9);
    expect(called({ seeds: 2, spread: 0.1, texts: 200, effect: 1 })).toBeLessThan(0.7);
  });
});
