/** @file How far attacks move the answer of a victim that answers one number. */
import { z } from 'zod';
import type { Declared } from '../declared.js';
import type { Measure } from '../measure.js';
import { wasAttacked } from '../outcome.js';
import { type CountedEstimate, estimateSchema } from '../rate.js';
import { meanOf } from '../regression-metrics.js';

const schema = z.object({
  mean: estimateSchema.describe('Up is positive: moves up and down cancel out.'),
  distance: estimateSchema.describe('Whatever the direction.'),
});

const shown = ({ value, low, high }: CountedEstimate): string =>
  `${value.toFixed(3)} [${low.toFixed(3)} to ${high.toFixed(3)}]`;

/** From the answer to the text to that to the strongest rewrite found, over all texts attacked, failures too. */
export const shift: Measure<Declared<typeof schema>> = {
  name: 'shift',
  schema,
  fold() {
    const shifts: number[] = [];
    return {
      add({ status, scoreBefore, scoreAfter }) {
        if (wasAttacked(status)) shifts.push(scoreAfter - scoreBefore);
      },
      value() {
        const [mean, distance] = [meanOf(shifts), meanOf(shifts.map(Math.abs))];
        return mean && distance && { mean, distance };
      },
    };
  },
  metrics: [
    { key: 'shift.mean.value', label: 'Mean shift', unit: 'score', about: 'by which answers move; up is positive' },
    { key: 'shift.distance.value', label: 'Mean distance', unit: 'score', about: 'by which answers move, up or down' },
  ],
  told: ({ mean, distance }) => `answers move by ${shown(mean)} on average, ${shown(distance)} up or down`,
};
