/** @file A card: the standing of one model under the suite `standard`, with all that a comparison with other models needs. */
import { z } from 'zod';
import { count, type Declared, positiveCount, texts, valuesByName } from '../../core/declared.js';
import { besideGoal, type Outcome, STATUS_LETTERS } from '../../core/outcome.js';
import { type Rate, rateSchema } from '../../core/statistics/rate.js';
import { wilson } from '../../core/statistics/stats.js';
import { trustworthySchema } from '../diagnostics/check.js';
import { standingOf } from '../measures/attack-rates.js';
import { curvesSchema } from '../measures/curves.js';
import { differs } from '../report/recount.js';
import { reviewSummarySchema } from '../report/review.js';

const threatModel = z.object({
  name: z.string().describe('`characters`, `words`, `layout` or `context`.'),
  limits: texts.describe('What its attacks may do.'),
  worstCaseAccuracy: rateSchema,
  attackSuccessRate: rateSchema,
  curves: curvesSchema.exactOptional(),
});

const proof = z.object({
  run: z.string().describe('The run of `robust verify`.'),
  space: texts,
  edits: positiveCount,
  constraints: texts.describe('Conditions that all texts of the space meet.'),
  proved: rateSchema,
  notBroken: rateSchema.describe('The robust accuracy lies between `proved` and `notBroken`.'),
});

/** Letters of `outcomes`, the one that counts last: not concerned by the goal, misclassified, not flipped, errored, flipped. */
const LETTERS = `.${STATUS_LETTERS.skipped}${STATUS_LETTERS.failed}${STATUS_LETTERS.errored}${STATUS_LETTERS.succeeded}`;

/** The share of the examples that no attack flips. */
export function worstCaseOf(outcomes: string): Rate {
  const counts = (letters: string): number => [...outcomes].filter((letter) => letters.includes(letter)).length;
  return wilson(counts(STATUS_LETTERS.failed), outcomes.length - counts(`.${STATUS_LETTERS.errored}`));
}

/** The share of the examples that is classified correctly without an edit. */
function originalOf(outcomes: string): Rate {
  const counts = (letters: string): number => [...outcomes].filter((letter) => letters.includes(letter)).length;
  const right = counts(`${STATUS_LETTERS.failed}${STATUS_LETTERS.succeeded}`);
  return wilson(right, right + counts(STATUS_LETTERS.skipped));
}

export const cardSchema = z
  .object({
    standard: z.string().describe('Version of the suite: `standard@2`.'),
    model: z.object({ name: z.string(), sha256: z.string(), labels: texts, defence: z.string().exactOptional() }),
    data: z.object({
      name: z.string(),
      sha256: z.string(),
      examples: count,
      examplesSha256: z.string().describe('Hash of the ids and texts of the examples, in their order.'),
    }),
    seed: z.number().int(),
    queryBudget: positiveCount.nullable().describe('Queries that each search may make; null: any number.'),
    conditions: valuesByName.describe('Settings that must be equal for two cards to be comparable.'),
    originalAccuracy: rateSchema,
    worstCaseAccuracy: rateSchema.describe(
      'Share of the examples that are classified correctly and that no attack flips.',
    ),
    threatModels: z.array(threatModel),
    curves: curvesSchema
      .describe('All threat models together: an example counts as flipped as soon as one of them succeeds.')
      .exactOptional(),
    outcomes: z
      .string()
      .regex(/^[.s01-]*$/)
      .describe(
        'A letter for each example, in their order: 1 flipped, 0 not flipped, s misclassified without an edit, - errored, . not concerned by the goal.',
      ),
    trustworthy: trustworthySchema.exactOptional(),
    proof: proof.exactOptional(),
    review: reviewSummarySchema
      .describe('The blind review of the run; its rates are those of the suite. Absent without one.')
      .exactOptional(),
    toolVersion: z.string(),
    run: z.string(),
    replay: z.string(),
    verdict: z.enum(['inconclusive', 'none']),
    reasons: texts.describe('Why it is inconclusive.'),
  })
  .refine(({ outcomes, worstCaseAccuracy: { value, n } }) => {
    const counted = worstCaseOf(outcomes);
    return counted.value === value && counted.n === n;
  }, 'the worst-case accuracy is that of its outcomes')
  .refine(({ outcomes, originalAccuracy: { value, n }, data }) => {
    const counted = originalOf(outcomes);
    return counted.value === value && counted.n === n && outcomes.length <= data.examples;
  }, 'the original accuracy is that of its outcomes')
  .refine(({ outcomes, threatModels }) => {
    const flips = threatModels.map(({ attackSuccessRate: { value, n } }) => Math.round((value ?? 0) * n));
    const flipped = [...outcomes].filter((letter) => letter === STATUS_LETTERS.succeeded).length;
    return Math.max(0, ...flips) <= flipped && flipped <= flips.reduce((sum, each) => sum + each, 0);
  }, 'its outcomes are those that its threat models may have')
  .refine(({ originalAccuracy, worstCaseAccuracy, threatModels }) => {
    const rates = threatModels.flatMap((each) => [each.worstCaseAccuracy, each.attackSuccessRate]);
    return [originalAccuracy, worstCaseAccuracy, ...rates].every(
      (rate) => differs(wilson(Math.round((rate.value ?? 0) * rate.n), rate.n), rate) === undefined,
    );
  }, 'its rates are counts with their intervals')
  .refine(
    ({ threatModels }) =>
      threatModels.every(({ attackSuccessRate: flipped, worstCaseAccuracy: kept }) => {
        const left = Math.round((1 - (flipped.value ?? 1)) * flipped.n);
        return left === Math.round((kept.value ?? 0) * kept.n);
      }),
    'what a threat model does not flip is its worst-case accuracy',
  )
  .refine(
    ({ verdict, reasons }) => (verdict === 'inconclusive') === reasons.length > 0,
    'it is inconclusive if and only if it has reasons',
  );

/** The standing of one model under the suite `standard`. */
export interface StandingCard extends Declared<typeof cardSchema> {}

/** Folds the outcomes of several attacks into a letter for each example, in the order of their first outcome. */
export function worstOutcomes() {
  const letters = new Map<string, number>();
  return {
    add(outcome: Outcome): void {
      const letter =
        besideGoal(outcome) || standingOf(outcome) === undefined ? excluded(outcome) : STATUS_LETTERS[outcome.status];
      letters.set(outcome.id, Math.max(letters.get(outcome.id) ?? 0, LETTERS.indexOf(letter)));
    },
    letters: (): string => Array.from(letters.values(), (at) => LETTERS[at]).join(''),
  };
}

const excluded = ({ status }: Outcome): string => (status === 'errored' ? STATUS_LETTERS.errored : '.');
