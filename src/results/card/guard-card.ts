/** @file A card of a guard: its recall, false alarms and evasions at one operating point, with all that a comparison with other guards needs. */
import { z } from 'zod';
import { decisionSchema } from '../../core/decision-schema.js';
import { count, type Declared, positiveCount, share, texts, valuesByName } from '../../core/declared.js';
import { figureSchema, rateSchema } from '../../core/statistics/rate.js';
import { curvesSchema } from '../measures/curves.js';
import { worstCaseOf } from './card.js';
import { latencySchema } from './latency.js';

/** The suite of attacks that a guard's card is about. */
export const GUARDRAIL = 'guardrail';

const outcomes = z
  .string()
  .regex(/^[.s01-]*$/)
  .describe(
    'A letter for each example, in their order: 1 evaded, 0 detected under every attack, s missed without an attack, - errored, . benign.',
  );

const queries = z
  .object({ median: count, p90: count, p95: count, n: positiveCount })
  .describe(
    'Percentiles of the queries until a text evades, over the evaded texts and all attacks before the first success.',
  );

const data = z.object({ name: z.string(), sha256: z.string() });

export const guardCardSchema = z
  .object({
    kind: z.literal('guard'),
    suite: z.string().describe('The suite of attacks: `guardrail`.'),
    model: z.object({ name: z.string(), sha256: z.string(), labels: texts, defence: z.string().exactOptional() }),
    data: data.extend({
      examples: count,
      examplesSha256: z.string().describe('Hash of the ids and texts of the examples, in their order.'),
    }),
    seed: z.number().int(),
    queryBudget: positiveCount.nullable().describe('Queries that each search may make; null: any number.'),
    conditions: valuesByName.describe('Settings that runs must share to be compared.'),
    decision: decisionSchema,
    operatingPoint: z.string().describe('`fpr=0.01`, or `threshold` where the threshold was not calibrated.'),
    recall: rateSchema,
    falsePositiveRate: rateSchema,
    auroc: rateSchema.exactOptional(),
    recallUnderAttack: rateSchema.describe('Share of the positives that are detected under every attack of the suite.'),
    attacks: z.array(
      z.object({ name: z.string(), recallUnderAttack: rateSchema, curves: curvesSchema.exactOptional() }),
    ),
    queriesToEvade: queries.exactOptional(),
    latency: latencySchema.exactOptional(),
    machine: z.string().describe('What the latency was measured on: cores, memory and platform.').exactOptional(),
    cost: z
      .object({
        price: z.number().describe('For one text, as given by --endpoint price=...'),
        texts: count.describe('Texts sent in the whole run.'),
        total: z.number().describe('Price times texts.'),
      })
      .describe('Present where the run queried an endpoint with a price.')
      .exactOptional(),
    shielded: z
      .object({
        run: z.string(),
        defence: z.string(),
        recall: rateSchema,
        falsePositiveRate: rateSchema,
        recallUnderAttack: rateSchema,
        difference: figureSchema.describe(
          "Recall under attack, shielded minus unshielded: Newcombe's paired interval.",
        ),
        mcnemarP: share.nullable(),
        latency: latencySchema.exactOptional(),
        machine: z.string().describe('What its latency was measured on.').exactOptional(),
      })
      .describe('The same guard behind a shield, under the same attacks.')
      .exactOptional(),
    overDefence: z
      .array(z.object({ data, falsePositiveRate: rateSchema }))
      .describe('Benign texts that look like attacks, at the same threshold.')
      .exactOptional(),
    outcomes,
    toolVersion: z.string(),
    run: z.string(),
    replay: z.string(),
    verdict: z.enum(['inconclusive', 'none']),
    reasons: texts.describe('Why it is inconclusive.'),
  })
  .refine(({ outcomes: all, recallUnderAttack: { value, n } }) => {
    const counted = worstCaseOf(all);
    return counted.value === value && counted.n === n;
  }, 'the recall under attack is that of its outcomes')
  .refine(
    ({ verdict, reasons }) => (verdict === 'inconclusive') === reasons.length > 0,
    'it is inconclusive if and only if it has reasons',
  );

/** The standing of one guard under the suite `guardrail`. */
export interface GuardCard extends Declared<typeof guardCardSchema> {}
