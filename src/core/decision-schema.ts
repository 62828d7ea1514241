/** @file A decision as data, read from a file. */
import { z } from 'zod';

const share = z.number().min(0).max(1);

/** Of a decision in a record, a report or a baseline. */
export const decisionSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('threshold'),
    positive: z.array(z.string().min(1)).min(1),
    by: z.enum(['max', 'sum']),
    at: z.number(),
    calibration: z
      .object({
        wanted: share,
        data: z.string(),
        falsePositiveRate: z.object({ value: share, low: share, high: share, n: z.number().int().min(0) }),
      })
      .optional(),
  }),
  z.object({ kind: z.literal('multi-label'), at: z.array(z.number()).min(1) }),
  z.object({ kind: z.literal('regression'), delta: z.number().positive() }),
]);
