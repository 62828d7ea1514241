/** @file Queries that a search on an approximation sent to the victim itself to confirm its findings. */
import { z } from 'zod';
import { type Confirmations, confirmationsSchema } from '../../core/outcome.js';
import type { Measure } from './measure.js';

export const confirmations: Measure<Confirmations> = {
  name: 'confirmations',
  evidence: { key: 'confirmations', schema: confirmationsSchema },
  schema: confirmationsSchema.extend({ asked: z.number().min(0) }),
  fold() {
    const sum = { n: 0, asked: 0, refuted: 0 };
    return {
      add({ confirmations: found }) {
        if (found === undefined) return;
        sum.n += 1;
        sum.asked += found.asked;
        sum.refuted += found.refuted;
      },
      value: () => (sum.n === 0 ? undefined : { asked: sum.asked / sum.n, refuted: sum.refuted }),
    };
  },
  metrics: [
    {
      key: 'confirmations.asked',
      label: 'Confirmations',
      unit: 'mean',
      about:
        'texts sent to the model at full precision, or again if its answers vary, to confirm a success; not among the queries',
    },
    {
      key: 'confirmations.refuted',
      label: 'Not confirmed',
      unit: 'count',
      about:
        'texts that flipped the prediction only in 8 bits, or not when they were sent again; they do not count as successes',
      rare: true,
    },
  ],
};
