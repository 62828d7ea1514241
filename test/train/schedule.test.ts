import fc from 'fast-check';
import { expect, test } from 'vitest';
import { schedule } from '../../src/train/schedule.js';
import { refusal } from '../refusal.js';

test('it falls in a line after two steps of warm-up', () => {
  const rate = schedule({ rate: 1, steps: 6, warmup: 2 });
  expect([0, 1, 2, 3, 4, 5].map(rate)).toEqual([0.5, 1, 1, 0.75, 0.5, 0.25]);
});

test('the rate is positive at every step and never above the highest', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), fc.double({ min: 0, max: 0.99, noNaN: true }), (steps, share) => {
      const rate = schedule({ rate: 0.1, steps, warmup: Math.floor(share * steps) });
      for (let step = 0; step < steps; step++) {
        expect(rate(step)).toBeGreaterThan(0);
        expect(rate(step)).toBeLessThanOrEqual(0.1);
      }
    }),
  );
});

test('refuses a warm-up that never ends', async () => {
  await refusal(() => schedule({ rate: 1, steps: 3, warmup: 3 }));
});
