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

/** A detector: the score of the positive labels reaches the threshold, or does not. */
export interface ThresholdRule extends Declared<typeof threshold> {}

/** Multi-label: every label whose score reaches its threshold. */
export interface MultiLabelRule extends Declared<typeof multiLabel> {}

/** Regression: a number instead of a label. */
export interface RegressionRule extends Declared<typeof regression> {}

/** The rules by kind. The folder of another task adds its own to this interface. @public */
export interface DecisionRules {
  threshold: ThresholdRule;
  'multi-label': MultiLabelRule;
  regression: RegressionRule;
}

/** A decision rule as data. Without one, the model predicts the most probable label. */
export type DecisionRule = DecisionRules[keyof DecisionRules];

/** A kind of rule in records. */
export interface RuleKind<R extends DecisionRule = DecisionRule> {
  readonly schema: z.ZodType<R> & z.core.$ZodTypeDiscriminable;
  /** Whether the rule is one between these labels. */
  fits(rule: R, labels: readonly string[]): boolean;
}

export const thresholdKind: RuleKind<ThresholdRule> = {
  schema: threshold,
  fits: ({ positive }, labels) => positive.every((name) => labels.includes(name)) && positive.length < labels.length,
};
export const multiLabelKind: RuleKind<MultiLabelRule> = {
  schema: multiLabel,
  fits: ({ at }, labels) => at.length === labels.length,
};
export const regressionKind: RuleKind<RegressionRule> = {
  schema: regression,
  fits: (_, labels) => labels.length === 1,
};

const kinds: RuleKind[] = [thresholdKind, multiLabelKind, regressionKind];

/** Adds a kind of rule, before any record is read. */
export const addRuleKind = (kind: RuleKind): void => void kinds.push(kind);

/** Whether a rule is one between these labels. */
export const fitsLabels = (rule: DecisionRule, labels: readonly string[]): boolean =>
  kinds.some(({ schema, fits }) => schema.safeParse(rule).success && fits(rule, labels));

export const decisionSchema: z.ZodType<DecisionRule> = z
  .lazy(() =>
    z
      .discriminatedUnion('kind', kinds.map(({ schema }) => schema) as [RuleKind['schema'], ...RuleKind['schema'][]])
      .meta({ description: 'How scores become an answer. Absent where the most probable label is decided.' }),
  )
  .meta({ id: 'decision' });
