/** @file Whether figures of two decisions are comparable, and how the decisions differ. */
import { z } from 'zod';
import type { Declared } from '../../core/declared.js';

export const decisionDifferenceSchema = z
  .object({
    kind: z.enum(['incomparable', 'calibrated', 'moved']),
    what: z.enum(['decision', 'labels', 'delta']),
    a: z.string(),
    b: z.string(),
  })
  .meta({ id: 'decisionDifference', description: 'How two decisions differ; a and b describe each in words.' });

/**
 * How two decisions differ. `incomparable`: different kinds or labels, so their figures mean different things. `calibrated`: both
 * thresholds were found by the same rule, such as 1 % false positives on one data set. `moved`: the decision alone changes some figures.
 */
export interface DecisionDifference extends Declared<typeof decisionDifferenceSchema> {}
