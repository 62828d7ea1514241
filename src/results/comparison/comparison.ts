/** @file Comparison of models on the same examples, attacks and seed. */
import { z } from 'zod';
import { type DecisionRule, decisionSchema } from '../../core/decision-schema.js';
import { count, type Declared, recent, share, texts } from '../../core/declared.js';
import { textsSchema } from '../../core/example-texts.js';
import { overridesSchema } from '../../core/override.js';
import { figureSchema, rateSchema } from '../../core/statistics/rate.js';
import { curvesSchema } from '../measures/curves.js';
import { leftOutSchema } from '../report/left-out.js';
import { reviewSummarySchema } from '../report/review.js';
import { decisionDifferenceSchema } from './decision-difference.js';

const p = share.nullable();

const rates = {
  a: rateSchema,
  b: rateSchema,
  difference: figureSchema.describe("b - a, Newcombe's paired interval."),
  mcnemarP: p.describe('Exact two-sided McNemar test; null without examples.'),
};

const paired = z.object(rates).meta({ id: 'paired' });

/** Two rates over the same examples. Examples that errored for either model are excluded from both. */
export interface PairedRates extends Declared<typeof paired> {}

const adjustedP = p.describe("Holm's correction over the attacks, or over the suites; null where the p-value is.");
const adjusted = z.object({ ...rates, adjustedP }).meta({ id: 'adjusted' });

const detected = {
  recallUnderAttack: adjusted.exactOptional(),
  falsePositiveRateUnderAttack: adjusted.exactOptional(),
};
const detectedSchema = z.object(detected);

/** For a detector: recall of the positives, and false positive rate of the negatives, if the attacks target them. */
export interface DetectedUnderAttack extends Declared<typeof detectedSchema> {}

const figure = z.object({
  metric: z
    .string()
    .describe('As requirements call it behind `clean.`: `recall`, `microF1`, `labelSets.perLabel.threat.recall`.'),
  label: z.string().describe('The label whose figure it is.').exactOptional(),
  higherIsBetter: z.boolean(),
  a: figureSchema,
  b: figureSchema,
  difference: figureSchema.describe(
    "b - a: Newcombe's paired interval for proportions of the same texts, else that of the paired bootstrap.",
  ),
  p: p.describe('Two-sided: exact McNemar test for proportions, else paired bootstrap; null without a difference.'),
  adjustedP: p.describe("Holm's correction over the figures."),
});

/** A figure on the unedited texts, of both models on the examples that both answered. */
export interface FigureComparison extends Declared<typeof figure> {}

const attack = z
  .object({
    name: z.string(),
    suite: z.string().nullable(),
    ...rates,
    adjustedP,
    attackSuccessRate: paired.describe('Over the examples that both models classify correctly without an edit.'),
    ...detected,
  })
  .meta({ id: 'comparedAttack' });

/** Accuracy under one attack, or under any attack of a suite. */
export interface AttackComparison extends Declared<typeof attack> {}

const changedExample = textsSchema
  .omit({ attacked: true })
  .extend({
    id: z.string(),
    attack: z.string().nullable().describe('Null: unedited.'),
    adversarial: z
      .string()
      .describe('The text that flips the model that does not resist. Absent outside text space and for unedited texts.')
      .exactOptional(),
  })
  .meta({ id: 'changedExample' });

/** An example on which the models differ. Those listed under an attack are classified correctly by both without an edit. */
export interface ChangedExample extends Declared<typeof changedExample> {}

const transfer = z.object({
  from: z.string(),
  to: z.string(),
  attack: z.string(),
  rate: rateSchema.describe('Share misclassified, of those whose unedited text the other model classifies correctly.'),
});

/** Adversarial texts generated against one model and classified by another. */
export interface TransferRate extends Declared<typeof transfer> {}

const model = z.object({
  name: z.string(),
  sha256: z.string(),
  run: z.string().describe('The run with its outcomes.'),
  degenerate: texts
    .min(1)
    .describe('Why no figure of it says anything. Absent where it is not degenerate.')
    .exactOptional(),
});

export interface ComparedModel extends Declared<typeof model> {}

const leftOut = leftOutSchema.extend({ by: z.enum(['a', 'b']).describe('The model whose run left it out.') });

/** An attack that one or both models' runs left out. */
export interface LeftOutOf extends Declared<typeof leftOut> {}

const comparison = {
  models: z.array(model),
  clean: paired.describe('Accuracy on the unedited texts: for label sets of whole sets, for numbers within delta.'),
  goal: z
    .string()
    .describe('For the attacks; absent if the decision is the most probable label, like the next three.')
    .exactOptional(),
  decisions: z.array(decisionSchema).min(2).max(2).describe('The decisions of a and b.').exactOptional(),
  figures: z.array(figure).exactOptional(),
  tags: z
    .array(figure)
    .describe(
      'For models that tag: figures over the entities of both runs, by the names that requirements use. Intervals resample texts.',
    )
    .exactOptional(),
  decisionDifference: decisionDifferenceSchema.exactOptional(),
  attacks: z.array(attack),
  leftOut: z
    .array(leftOut)
    .describe('Attacks that were not carried out on both, and are in none of the figures.')
    .exactOptional(),
  suites: z.array(attack).describe('Several attacks as one: an example is flipped when any of them flips it.'),
  overall: z.object({ ...rates, ...detected }).describe('Under any of the attacks.'),
  newlyBroken: z.array(changedExample).describe('a resists, b does not; the first 1,000.'),
  newlyMended: z.array(changedExample).describe('b resists, a does not; the first 1,000.'),
};
const comparisonSchema = z.object(comparison);

/** Model b against model a. */
export interface Comparison extends Omit<Declared<typeof comparisonSchema>, 'models' | 'decisions'> {
  readonly models: readonly [ComparedModel, ComparedModel];
  readonly decisions?: readonly [DecisionRule, DecisionRule];
}

export const comparisonReportSchema = z.object({
  ...comparison,
  data: recent(z.object({ name: z.string(), sha256: z.string(), examples: count })),
  seed: recent(z.number().int()),
  further: recent(z.array(comparisonSchema).describe('The third model against the first, and so on.')),
  transfer: recent(z.array(transfer)),
  verdict: recent(
    z
      .enum(['inconclusive', 'none'])
      .describe('Inconclusive where one of the runs is, or they share no example; else a comparison judges nothing.'),
  ),
  reasons: recent(texts.describe('Why it is inconclusive.')),
  curves: z
    .array(z.object({ attack: z.string(), models: z.array(curvesSchema.nullable()) }))
    .describe('A curve for each attack and each of `models`; null for a model without one.')
    .exactOptional(),
  reviews: z
    .array(reviewSummarySchema.extend({ name: z.string(), run: z.string() }))
    .describe('Blind reviews of the runs, each of its own texts. Absent without one.')
    .exactOptional(),
  toolVersion: recent(z.string()),
  provenance: z
    .object({ overrides: overridesSchema.optional() })
    .describe('Present where environment variables decided settings.')
    .exactOptional(),
  command: recent(z.string()),
});

/** The document of `robust compare`: the second model against the first, then further ones. */
export interface ComparisonReport
  extends Omit<Declared<typeof comparisonReportSchema>, 'decisions' | 'further'>,
    Pick<Comparison, 'decisions'> {
  readonly further: readonly Comparison[];
}
