/** @file Attack-specific figures: medians over the attacked examples. */
import { z } from 'zod';
import { getOrCompute } from '../../core/get-or-compute.js';
import type { Measure } from './measure.js';

/** The median, or the lower of the two middle values, so that it is a value that occurred. `counts`: value -> frequency. */
function median(counts: ReadonlyMap<number, number>): number {
  const ascending = [...counts].sort(([a], [b]) => a - b);
  let left = Math.ceil(ascending.reduce((sum, [, n]) => sum + n, 0) / 2);
  for (const [value, n] of ascending) {
    left -= n;
    if (left <= 0) return value;
  }
  return Number.NaN;
}

export const details: Measure<Readonly<Record<string, number>>> = {
  name: 'details',
  schema: z.record(z.string(), z.number()),
  fold() {
    // Values have six significant digits, so there are few different ones, however many outcomes.
    const found = new Map<string, Map<number, number>>();
    return {
      add(outcome) {
        for (const [name, value] of Object.entries(outcome.details ?? {})) {
          if (typeof value !== 'number') continue;
          const counts = getOrCompute(found, name, () => new Map<number, number>());
          counts.set(value, (counts.get(value) ?? 0) + 1);
        }
      },
      value: () =>
        found.size === 0 ? undefined : Object.fromEntries([...found].map(([name, counts]) => [name, median(counts)])),
    };
  },
  remark: (medians) =>
    `medians: ${Object.entries(medians)
      .map(([name, value]) => `${name} ${value}`)
      .join(', ')}`,
};
