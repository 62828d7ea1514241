/** @file Results of attacks over all examples. */
import { z } from 'zod';
import {
  count,
  type Declared,
  nonEmpty,
  positiveCount,
  recent,
  share,
  texts,
  valuesByName,
} from '../../core/declared.js';
import { rateSchema } from '../../core/statistics/rate.js';
import { reviewedRatesShape } from '../report/review.js';
import { attackRatesShape, detectorRatesShape, overOneSet } from './attack-rates.js';
import { type Curves, curvesSchema } from './curves.js';
import type { MeanQuality } from './quality.js';
import type { UntriedReasons } from './untried.js';

/** Identifies an attack in a report and in the record of a run. */
export const attackShape = {
  name: nonEmpty,
  level: z
    .enum(['character', 'word', 'sentence', 'embedding'])
    .describe('What it edits. Absent in runs of earlier versions.')
    .exactOptional(),
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
      'Failures whose strongest text leaves the prediction undecided within the noise of the model. Absent in reports of versions that did not count ties.',
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
    .describe('Failures in which the attack could edit almost nothing of the text.')
    .exactOptional(),
  ...attackRatesShape,
  perturbedWords: share.nullable().describe('Mean fraction of words changed, over successes; null without any.'),
  queries: z
    .object({ asked: z.number().min(0), computed: z.number().min(0) })
    .describe('All queries and the distinct ones among them, mean over the examples attacked.'),
  perClass: z.array(z.object({ label: z.string(), attackSuccessRate: rateSchema })),
};

const figuresSchema = z.object(figures);

/** Figures of one attack over its outcomes. The values of its measures are further keys, one for each name (measure.ts). */
export interface AttackFigures extends Declared<typeof figuresSchema> {
  /** Failures in which the attack could try nothing or could not finish its search, by reason, the most frequent first. */
  readonly untried?: UntriedReasons | undefined;
  /** Accuracy by edits and by queries. Absent if no example was attacked. */
  readonly curves?: Curves;
  /** Means over the adversarial texts. Absent without measured ones. */
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

/** Keys of an attack's entry that do not come from measures. */
export const ATTACK_KEYS: ReadonlySet<string> = new Set(Object.keys(attackMetricsShape));

const attackSchema = z.object(attackMetricsShape);

export interface AttackMetrics extends AttackFigures, Omit<Declared<typeof attackSchema>, keyof AttackFigures> {}

const combined = {
  ...attackRatesShape,
  ...detectorRatesShape,
  ...reviewedRatesShape,
  untried: count
    .describe(
      'Examples that count as robust although none of the attacks could try anything on them. Absent without such examples.',
    )
    .exactOptional(),
};

export const combinedSchema = z.object(combined).refine(...overOneSet);

/** Rates of several attacks together: an example counts as flipped if any of them flips it. */
export interface CombinedRates extends Declared<typeof combinedSchema> {}

export const suiteSchema = z
  .object({
    name: z.string(),
    attacks: texts.describe('Names of the attacks that ran for it.'),
    ...combined,
    curves: curvesSchema
      .describe(
        'Only for the suite `standard`. An example counts as flipped from the fewest characters edited, and from the fewest queries, with which any of its attacks succeeded. Each attack may make that many queries.',
      )
      .exactOptional(),
  })
  .refine(...overOneSet)
  .meta({ id: 'suite' });

export interface SuiteMetrics extends Declared<typeof suiteSchema> {}
