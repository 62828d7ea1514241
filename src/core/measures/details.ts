/** @file Figures of an attack's own: medians over the examples attacked. */
import { z } from 'zod';
import type { Measure } from '../measure.js';

/** The middle value, or the lower of the two: a value that occurred. */
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] as number;

export const details: Measure<Readonly<Record<string, number>>> = {
  name: 'details',
  schema: z.record(z.string(), z.number()),
  fold() {
    const found = new Map<string, number[]>();
    return {
      add(outcome) {
        for (const [name, value] of Object.entries(outcome.details ?? {})) {
          if (typeof value !== 'number') continue;
          const values = found.get(name) ?? [];
          found.set(name, values);
          values.push(value);
        }
      },
      value: () =>
        found.size === 0 ? undefined : Object.fromEntries([...found].map(([name, values]) => [name, median(values)])),
    };
  },
  told: (medians) =>
    `medians: ${Object.entries(medians)
      .map(([name, value]) => `${name} ${value}`)
      .join(', ')}`,
};
