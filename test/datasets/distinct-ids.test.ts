/** Hashes alone distinguish ids, however many and however similar they are. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SeenIds } from '../../datasets/distinct-ids.js';

test.each([
  ['numbers', (at: number) => String(at)],
  ['numbers of one length', (at: number) => String(at).padStart(12, '0')],
  ['numbers behind a name', (at: number) => `train/review-${at}`],
  ['numbers before a name', (at: number) => `${at.toString(16)}-${'x'.repeat(20)}`],
])('300,000 %s are distinct, and seen again', (_, idOf) => {
  const seen = new SeenIds();
  const ids = Array.from({ length: 300_000 }, (_each, at) => idOf(at));
  expect(ids.filter((id) => seen.add(id))).toEqual([]);
  expect(ids.every((id) => seen.add(id))).toBe(true);
});

test('of any list of ids, those that a set has are seen', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 4 })), (ids) => {
      const [seen, set] = [new SeenIds(), new Set<string>()];
      for (const id of ids) {
        expect(seen.add(id)).toBe(set.has(id));
        set.add(id);
      }
    }),
  );
});
