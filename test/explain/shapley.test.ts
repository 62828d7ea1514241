import { describe, expect, test } from 'vitest';
import { random } from '../../src/core/random.js';
import { type CoalitionGame, emptyCoalition, fullCoalition } from '../../src/explain/game.js';
import { exactShapley, permutationShapley } from '../../src/explain/shapley.js';
import type { WeightedWords } from '../../src/explain/weighted.js';
import { additive, gameOf, rugged } from './toys.js';

const weightsOf = ({ weights }: WeightedWords): number[] => weights.map(({ weight }) => weight);

/** Shapley's own definition: the mean marginal contribution over all orders. */
async function bruteForce(game: CoalitionGame): Promise<number[]> {
  const orders = (left: readonly number[]): number[][] =>
    left.length === 0
      ? [[]]
      : left.flatMap((first) => orders(left.filter((at) => at !== first)).map((rest) => [first, ...rest]));
  const all = orders(Array.from({ length: game.size }, (_, at) => at));
  const sums = new Array<number>(game.size).fill(0);
  for (const order of all) {
    const kept = emptyCoalition(game.size);
    const coalitions = [
      kept.slice(),
      ...order.map((at) => {
        kept[at] = 1;
        return kept.slice();
      }),
    ];
    const values = await game.values(coalitions);
    order.forEach((at, step) => {
      sums[at]! += ((values[step + 1] as number) - (values[step] as number)) / all.length;
    });
  }
  return sums;
}

/** v(1) = 10, v(2) = 30, v(3) = 5, v(12) = 50, v(13) = 40, v(23) = 35, v(123) = 100. */
const engineers = gameOf(
  3,
  (kept) => [0, 10, 30, 50, 5, 40, 35, 100][kept[0]! + 2 * kept[1]! + 4 * kept[2]!] as number,
);

test('the textbook example of three engineers', async () => {
  const [first, second, third] = weightsOf(await exactShapley(engineers)) as [number, number, number];
  expect(first).toBeCloseTo(34.17, 2);
  expect(second).toBeCloseTo(41.67, 2);
  expect(third).toBeCloseTo(24.17, 2);
});

test.each([1, 2, 3, 5, 7])('exact values equal brute force over all orders of %i players', async (size) => {
  const game = rugged(size, size);
  const found = weightsOf(await exactShapley(game));
  (await bruteForce(game)).forEach((weight, at) => void expect(found[at]).toBeCloseTo(weight, 10));
});

const estimate = (game: CoalitionGame, samples: number, seed: number) =>
  permutationShapley(game, samples, random(seed, 'permutation'));

describe('permutations', () => {
  test('an additive game gets its true weights', async () => {
    const weights = [0.5, -0.25, 0, 2, -1, 0.125, 3];
    const found = weightsOf(await estimate(additive(weights, 7), 200, 1));
    weights.forEach((weight, at) => void expect(found[at]).toBeCloseTo(weight, 9));
  });

  test('values sum to v(all) - v(none) to 1e-6, and come near the exact ones', async () => {
    const game = rugged(10, 3);
    const { weights, check } = await estimate(game, 2000, 2);
    expect(check.efficiencyError).toBeLessThan(1e-6);
    const exact = weightsOf(await exactShapley(game));
    weights.forEach(({ weight }, at) => void expect(Math.abs(weight - exact[at]!)).toBeLessThan(0.05));
  });

  test('95 % intervals hold the true value as often as they say', async () => {
    const game = rugged(8, 5);
    const exact = weightsOf(await exactShapley(game));
    let [within, all] = [0, 0];
    for (let seed = 0; seed < 60; seed++) {
      const { weights } = await estimate(game, 400, seed);
      weights.forEach(({ low, high }, at) => {
        all++;
        if (low! <= exact[at]! && exact[at]! <= high!) within++;
      });
    }
    // 480 correlated trials: 0.95 within some hundredths.
    expect(within / all).toBeGreaterThan(0.9);
    expect(within / all).toBeLessThan(0.99);
  });

  test('one player and two', async () => {
    expect(weightsOf(await estimate(rugged(1, 1), 50, 1))[0]).toBeCloseTo(
      (await rugged(1, 1).values([fullCoalition(1)]))[0]!,
      9,
    );
    const exact = weightsOf(await exactShapley(rugged(2, 9)));
    weightsOf(await estimate(rugged(2, 9), 50, 1)).forEach(
      (weight, at) => void expect(weight).toBeCloseTo(exact[at]!, 9),
    );
  });
});
