/** @file Schema of a decision in records of runs, reports and baselines. */
import { z } from 'zod';
import { count, type Declared, share } from './declared.js';

const calibration = z
  .object({
    wanted: share.describe('The false positive rate that was requested.'),
    data: z.string().describe('The data set whose negatives were scored.'),
    falsePositiveRate: z
      .object({ value: share, low: share, high: share, n: count })
      .describe('The share of these negatives that reach the threshold, with its exact 95 % interval.'),
  })
  .describe(
    'How the threshold was found, where a false positive rate was requested; the interval is exact (Clopper and Pearson).',
  );

const threshold = z.object({
  kind: z.literal('threshold'),
  positive: z.array(z.string().min(1)).min(1).describe('Names of the labels that are detected.'),
  by: z.enum(['max', 'sum']).describe('The score of several labels is the largest of theirs or their sum.'),
  at: z.number().describe('Scores from here on are positive.'),
  calibration: calibration.exactOptional(),
});

const multiLabel = z.object({
  kind: z.literal('multi-label'),
  at: z.array(z.number()).min(1).describe('The threshold of each label, by label index.'),
});

const regression = z.object({
  kind: z.literal('regression'),
  delta: z.number().positive().describe('Two numbers are different if they are at least this far apart.'),
});

export const decisionSchema = z.discriminatedUnion('kind', [threshold, multiLabel, regression]).meta({
  id: 'decision',
  description: 'How scores become an answer. Absent where the most probable label is decided.',
});

/** How the threshold was found if a false positive rate was requested. */
export interface ThresholdCalibration extends Declared<typeof calibration> {}

/** A detector: does the score of the positive labels reach the threshold? */
export interface ThresholdRule extends Declared<typeof threshold> {}

/** Multi-label: every label whose score reaches its threshold. */
export interface MultiLabelRule extends Declared<typeof multiLabel> {}

/** Regression: a number instead of a label. */
export interface RegressionRule extends Declared<typeof regression> {}

/** A decision rule as data. Without one, the model predicts the most probable label. */
export type DecisionRule = ThresholdRule | MultiLabelRule | RegressionRule;
