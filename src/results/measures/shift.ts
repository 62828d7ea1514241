/** @file How far attacks move the answer of a regression victim. */
import { z } from 'zod';
import type { Declared } from '../../core/declared.js';
import { withBounds } from '../../core/figure-text.js';
import { wasAttacked } from '../../core/outcome.js';
import { estimateSchema } from '../../core/statistics/rate.js';
import { meanOf } from '../clean/regression-metrics.js';
import type { Measure } from './measure.js';

const schema = z.object({
  mean: estimateSchema.describe('Up is positive: moves up and down cancel out.'),
  distance: estimateSchema.describe('Whatever the direction.'),
});

/** From the answer to the text to the answer to the strongest rewrite, over all attacked texts including failures. */
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
  remark: ({ mean, distance }) => `answers move by ${withBounds(mean)} on average, ${withBounds(distance)} up or down`,
};
