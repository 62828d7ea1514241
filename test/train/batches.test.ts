import fc from 'fast-check';
import { expect, test } from 'vitest';
import { random } from '../../src/core/random.js';
import { epochBatches, sortedBatches } from '../../src/train/batches.js';

const lengths = fc.array(fc.integer({ min: 2, max: 60 }), { minLength: 1, maxLength: 2000 });

test('an epoch holds every example once, in batches of at most the size asked for', () => {
  fc.assert(
    fc.property(lengths, fc.integer({ min: 1, max: 64 }), (of, size) => {
      for (const batches of [epochBatches(of, size, random(1, 'x')), sortedBatches(of, size)]) {
        expect(batches.flatMap((batch) => [...batch]).sort((a, b) => a - b)).toEqual(of.map((_, at) => at));
        expect(batches.length).toBe(Math.ceil(of.length / size));
        expect(Math.max(...batches.map((batch) => batch.length))).toBeLessThanOrEqual(size);
      }
    }),
  );
});

test('the order follows from the stream alone', () => {
  const of = Array.from({ length: 500 }, (_, at) => at % 17);
  expect(epochBatches(of, 8, random(1, 'a'))).toEqual(epochBatches(of, 8, random(1, 'a')));
  expect(epochBatches(of, 8, random(1, 'a'))).not.toEqual(epochBatches(of, 8, random(1, 'b')));
});

test('texts of similar length come together: under a tenth of what a shuffled epoch pads', () => {
  const draw = random(3, 'lengths');
  const of = Array.from({ length: 5000 }, () => 3 + draw.int(50));
  const padding = (batches: readonly Uint32Array[]) =>
    batches
      .map((batch) => Array.from(batch, (at) => of[at]))
      .reduce((sum, l) => sum + l.length * Math.max(...l) - l.reduce((a, b) => a + b), 0);
  const order = random(3, 'order').shuffle(of.map((_, at) => at));
  const shuffled = Array.from({ length: Math.ceil(of.length / 32) }, (_, at) =>
    Uint32Array.from(order.slice(at * 32, (at + 1) * 32)),
  );
  expect(padding(epochBatches(of, 32, random(3, 'epoch')))).toBeLessThan(padding(shuffled) / 10);
});
