import { describe, expect, test } from 'vitest';
import { random } from '../../src/core/random.js';
import { LIME, lime } from '../../src/explain/lime.js';
import { additive, rugged } from './toys.js';

const run = (game: Parameters<typeof lime>[0], options: Partial<typeof LIME> = {}, seed = 1) =>
  lime(game, { ...LIME, ...options }, random(seed, 'lime'));

describe('LIME', () => {
  test.each([10, 4])('an additive game gets its true weights (%i features)', async (features) => {
    const true4 = [0.5, -0.25, 2, -1];
    const { weights, check } = await run(additive(true4, 0.3), { features });
    // The ridge of 1 that the original package uses shrinks them by less than a hundredth.
    true4.forEach((weight, at) => void expect(weights[at]!.weight / weight).toBeCloseTo(1, 1));
    expect(check.r2).toBeGreaterThan(0.999);
    expect(check.localPrediction).toBeCloseTo(1.55, 1);
  });

  test.each([3, 8])('%i features of 20: the heaviest are chosen, forward or by weight', async (features) => {
    const weights = Array.from({ length: 20 }, (_, at) => (at % 2 ? -1 : 1) / (1 + at));
    const found = await run(additive(weights), { features });
    expect(found.weights.flatMap(({ weight }, at) => (weight === 0 ? [] : [at]))).toEqual(
      Array.from({ length: features }, (_, at) => at),
    );
  });

  test('95 % intervals hold what very many samples say as often as they say', async () => {
    const game = rugged(8, 2);
    const { weights: limit } = await run(game, { samples: 200_000 }, 99);
    let [within, all] = [0, 0];
    for (let seed = 0; seed < 60; seed++) {
      const { weights } = await run(game, { samples: 400 }, seed);
      weights.forEach(({ low, high }, at) => {
        all++;
        if (low! <= limit[at]!.weight && limit[at]!.weight <= high!) within++;
      });
    }
    expect(within / all).toBeGreaterThan(0.9);
    expect(within / all).toBeLessThan(0.99);
  });

  test('same seed, same weights; another seed, others', async () => {
    const game = rugged(12, 1);
    expect(await run(game, { samples: 100 }, 5)).toEqual(await run(game, { samples: 100 }, 5));
    expect(await run(game, { samples: 100 }, 5)).not.toEqual(await run(game, { samples: 100 }, 6));
  });

  test('one word', async () => {
    const { weights } = await run(additive([0.7]));
    expect(weights).toHaveLength(1);
    expect(weights[0]?.weight).toBeCloseTo(0.7, 1);
  });
});
