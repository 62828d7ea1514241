/** @file What searches that asked an approximation of the victim asked the victim itself, to confirm what they found. */
import { z } from 'zod';
import type { Measure } from '../measure.js';
import { type Confirmations, confirmationsSchema } from '../outcome.js';

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
        'texts the model was asked at full precision, or again where its answers vary, to confirm what a search found; not among the queries',
    },
    {
      key: 'confirmations.refuted',
      label: 'Not confirmed',
      unit: 'count',
      about: 'answers that turned the prediction in 8 bits only, or not when asked again: they count as no success',
      rare: true,
    },
  ],
};
