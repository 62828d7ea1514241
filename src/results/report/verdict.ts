/** @file The verdict of a gate on a run. */
import { z } from 'zod';
import { decisionSchema } from '../../core/decision-schema.js';
import { count, type Declared, share, texts } from '../../core/declared.js';
import { figureSchema } from '../../core/statistics/rate.js';
import { decisionDifferenceSchema } from '../comparison/decision-difference.js';

export const verdictSchema = z.enum(['passed', 'failed', 'inconclusive', 'none']);
export type Verdict = z.output<typeof verdictSchema>;

const judgement = verdictSchema.exclude(['none']);

const waiver = z.object({
  metric: z.string(),
  owner: z.string(),
  reason: z.string(),
  expires: z.string().describe('The last day it counts, YYYY-MM-DD in UTC.'),
});

/** An accepted violation of a requirement until a date: it is reported and does not fail the gate. */
export interface Waiver extends Declared<typeof waiver> {}

const judgedThreshold = z.object({
  metric: z.string().describe('`<suite | attack | overall | clean>.<metric>`.'),
  level: z.enum(['error', 'warn']),
  expected: z.string().describe('As it was written: `<= 0.30`.'),
  actual: figureSchema.describe(
    '`low` and `high` are null for a figure without an interval, `value` too for one that could not be measured.',
  ),
  ci: z
    .enum(['interval', 'value'])
    .describe('What of `actual` is compared with the limit; `value` also for a figure that has no interval.'),
  verdict: judgement,
  reason: z.string().describe('Why it is inconclusive.').exactOptional(),
  neededExamples: count
    .describe(
      'Examples to test for a verdict with probability 0.8, if the model is as measured. Absent if more would not help.',
    )
    .exactOptional(),
  without: texts
    .describe('Attacks that the figure is measured without, because the run left them out.')
    .exactOptional(),
  waiver: waiver.describe('Present where the verdict does not count because of it.').exactOptional(),
});

/** A requirement and its result in a run. */
export interface JudgedThreshold extends Declared<typeof judgedThreshold> {}

const judgedChange = z.object({
  name: z.string().describe('An attack; `clean` for the figures on unedited texts.'),
  metric: z
    .string()
    .describe('As a requirement calls it behind the name: attackSuccessRate, accuracy, recall, regression.pearson.'),
  higherIsBetter: z.boolean(),
  baseline: figureSchema,
  current: figureSchema,
  difference: figureSchema.describe('Current minus baseline.'),
  worse: count
    .describe('Examples that became worse; like `better` only of proportions of the same texts.')
    .exactOptional(),
  better: count.exactOptional(),
  p: share.describe('One-sided (has it become worse?): exact McNemar test for proportions, else paired bootstrap.'),
  adjustedP: share.describe("With Holm's correction for the number of changes judged."),
  level: z.literal('warn').describe('It does not count: too few texts of one label.').exactOptional(),
  verdict: judgement,
  reason: z.string().exactOptional(),
});

/** One figure of the baseline and of the run, on the examples for which both have it. */
export interface JudgedChange extends Declared<typeof judgedChange> {}

const baseline = z.object({
  file: z.string(),
  model: z.object({ name: z.string(), sha256: z.string() }),
  maxIncrease: z
    .number()
    .describe(
      'The accepted change for the worse: absolute for rates, areas and correlations, relative to the baseline for errors.',
    ),
  decision: decisionSchema.exactOptional(),
  decisionDifference: decisionDifferenceSchema
    .describe('Both thresholds, where they differ although the same rule found them.')
    .exactOptional(),
  verdict: judgement,
  changes: z.array(judgedChange),
});

export const gateSchema = z.object({
  verdict: judgement,
  thresholds: z.array(judgedThreshold),
  baseline: baseline.exactOptional(),
  reasons: texts.describe('Other reasons why the gate did not pass: "no attack was tried on any example".'),
});

export interface GateResult extends Declared<typeof gateSchema> {}
