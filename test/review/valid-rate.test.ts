/** The valid success rate: successes times the share of texts that keep their label, with a joint interval. */
import { expect, test } from 'vitest';
import { wilson } from '../../src/core/statistics/stats.js';
import { validShare } from '../../src/review/valid-rate.js';
import { drawFrom } from './toys.js';

const kept = (value: number, n: number) => wilson(Math.round(value * n), n);

test('one attack: its success rate times the share kept; the interval is wider than that of either part alone', () => {
  const rate = validShare(
    [
      { attacks: ['typos'], examples: 80 },
      { attacks: [], examples: 20 },
    ],
    new Map([['typos', kept(0.9, 60)]]),
  );
  expect(rate?.value).toBeCloseTo(0.72, 10);
  expect(rate?.n).toBe(60);
  const alone = wilson(72, 100);
  expect(rate?.low as number).toBeLessThan(alone.low as number);
  expect(rate?.high as number).toBeGreaterThanOrEqual(alone.high as number);
});

test('several attacks: an example counts if any of its texts is valid', () => {
  const shares = new Map([
    ['a', kept(0.5, 40)],
    ['b', kept(0.5, 40)],
  ]);
  const both = validShare([{ attacks: ['a', 'b'], examples: 10 }], shares);
  expect(both?.value).toBeCloseTo(0.75, 10);
  expect(validShare([{ attacks: ['a', 'c'], examples: 10 }], shares)).toBeUndefined();
  expect(validShare([{ attacks: [], examples: 0 }], shares)).toBeUndefined();
});

test('the joint interval covers the true rate in nearly 95 % of 400 simulated reviews', () => {
  for (const [success, share] of [
    [0.9, 0.9],
    [0.5, 0.6],
    [0.95, 0.3],
  ] as const) {
    let covered = 0;
    for (let seed = 0; seed < 400; seed++) {
      const random = drawFrom(seed, 'valid', String(success));
      const flipped = Array.from({ length: 100 }, () => random.unit()).filter((unit) => unit < success).length;
      const keeping = Array.from({ length: 60 }, () => random.unit()).filter((unit) => unit < share).length;
      const rate = validShare(
        [
          { attacks: ['a'], examples: flipped },
          { attacks: [], examples: 100 - flipped },
        ],
        new Map([['a', wilson(keeping, 60)]]),
      );
      covered += Number((rate?.low as number) <= success * share && success * share <= (rate?.high as number));
    }
    expect(covered, `${success} x ${share}`).toBeGreaterThanOrEqual(0.93 * 400);
  }
});
