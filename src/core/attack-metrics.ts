/** @file What attacks achieved, over all examples. */
import { z } from 'zod';
import { attackRatesShape, detectorRatesShape, overOneSet } from './attack-rates.js';
import { count, type Declared, nonEmpty, positiveCount, recent, share, texts, valuesByName } from './declared.js';
import type { MeanQuality } from './measures/quality.js';
import type { UntriedReasons } from './measures/untried.js';
import { rateSchema } from './rate.js';

/** What identifies an attack in a report and in the record of a run. */
export const attackShape = {
  name: nonEmpty,
  suite: z.string().nullable(),
  constraints: texts,
  options: valuesByName,
  ownGoal: z
    .literal(true)
    .describe('A success is something other than a flipped prediction: it is not part of `overall`.')
    .exactOptional(),
};

const figures = {
  succeeded: count,
  failed: count.describe('Ties and notApplicable.n included.'),
  tied: recent(
    count.describe(
      'Of the failed: those whose strongest text leaves the prediction undecided within the noise of the model. Absent in reports of versions that did not count ties.',
    ),
  ),
  skipped: count,
  errored: count,
  applicable: z
    .literal(false)
    .describe('The attack could edit next to nothing of most texts. Absent where it applies.')
    .exactOptional(),
  notApplicable: z
    .object({ n: positiveCount, reason: z.string() })
    .describe('Of the failed, texts of which the attack could edit next to nothing.')
    .exactOptional(),
  ...attackRatesShape,
  perturbedWords: share.nullable().describe('Mean fraction of words changed, over successes; null without any.'),
  queries: z
    .object({ asked: z.number().min(0), computed: z.number().min(0) })
    .describe('All queries and the distinct ones among them, mean over the examples attacked.'),
  perClass: z.array(z.object({ label: z.string(), attackSuccessRate: rateSchema })),
};

const figuresSchema = z.object(figures);

/** What the outcomes of an attack add up to. The values of its measures stand beside these, each under its name (core/measure.ts). */
export interface AttackFigures extends Declared<typeof figuresSchema> {
  /** Of the failed: those where nothing could be tried or the search could not end, by the reason, the most frequent first. */
  readonly untried?: UntriedReasons;
  /** Of the adversarial texts, where some were measured. */
  readonly quality?: MeanQuality;
  /** Medians of the figures of the attack over the examples attacked. */
  readonly details?: Readonly<Record<string, number>>;
}

/** An attack's entry of a report. */
export const attackMetricsShape = {
  ...attackShape,
  ...figures,
  seconds: z.number().min(0).describe('Wall time; the only figure here that differs between two equal runs.'),
};

/** Keys of an attack's entry that are not measures. */
export const ATTACK_KEYS: ReadonlySet<string> = new Set(Object.keys(attackMetricsShape));

const attackSchema = z.object(attackMetricsShape);

export interface AttackMetrics extends AttackFigures, Omit<Declared<typeof attackSchema>, keyof AttackFigures> {}

const combined = {
  ...attackRatesShape,
  ...detectorRatesShape,
  untried: count
    .describe(
      'Examples that count as withstood although none of the attacks could try anything on them. Absent where there are none.',
    )
    .exactOptional(),
};

export const combinedSchema = z.object(combined).refine(...overOneSet);

/** Rates of several attacks together: an example is broken when any of them broke it. */
export interface CombinedRates extends Declared<typeof combinedSchema> {}

export const suiteSchema = z
  .object({ name: z.string(), attacks: texts.describe('Names of the attacks that ran for it.'), ...combined })
  .refine(...overOneSet)
  .meta({ id: 'suite' });

export interface SuiteMetrics extends Declared<typeof suiteSchema> {}
