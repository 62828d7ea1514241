/**
 * @file The denominators of all attack rates. Rates that are shown together cover the same examples, so without a success the rate under
 * attack equals the original rate, and it never exceeds it.
 */
import { z } from 'zod';
import { type Declared, recent } from '../../core/declared.js';
import { besideGoal, hasFailed, type Outcome } from '../../core/outcome.js';
import { rateSchema } from '../../core/statistics/rate.js';
import { wilson } from '../../core/statistics/stats.js';

/** How an example counts: classified correctly at first and flipped, or not flipped; or classified incorrectly at first. */
export type Standing = 'flipped' | 'kept' | 'wrong';

/**
 * Undefined for an example that counts in no rate: it errored, the goal excludes it, or the victim refused to answer. An example that the
 * attack could not edit counts as kept, because no adversarial text exists for it.
 */
export function standingOf(outcome: Pick<Outcome, 'status' | 'reason'>): Standing | undefined {
  if (outcome.status === 'succeeded') return 'flipped';
  if (hasFailed(outcome.status)) return 'kept';
  return outcome.status === 'errored' || besideGoal(outcome) ? undefined : 'wrong';
}

/** Examples by how they count. */
export type StandingCounts = Readonly<Record<Standing, number>>;

export const attackRatesShape = {
  attackSuccessRate: rateSchema.describe('With f flipped, k kept and w wrong examples: f / (f + k).'),
  originalAccuracy: recent(
    rateSchema.describe(
      'Correctly classified without attack, of the examples that accuracyUnderAttack is over: (f + k) / (f + k + w).',
    ),
  ),
  accuracyUnderAttack: rateSchema.describe(
    'Correctly classified under attack: k / (f + k + w). Errored examples and those that the goal excludes do not count; examples that the attack could not edit stay correctly classified.',
  ),
};

const ratesSchema = z.object(attackRatesShape);

export interface AttackRates extends Declared<typeof ratesSchema> {}

/** Check for `refine`: the rates of one attack, suite or report cover the same examples. */
export const overOneSet = [
  ({
    attackSuccessRate: { n },
    accuracyUnderAttack: all,
  }: Pick<AttackRates, 'attackSuccessRate' | 'accuracyUnderAttack'>): boolean => n <= all.n,
  'the attack success rate is over the correctly classified of the examples that the accuracy under attack is over',
] as const;

export const attackRates = ({ flipped, kept, wrong }: StandingCounts): AttackRates => ({
  originalAccuracy: wilson(flipped + kept, flipped + kept + wrong),
  accuracyUnderAttack: wilson(kept, flipped + kept + wrong),
  attackSuccessRate: wilson(flipped, flipped + kept),
});

export const detectorRatesShape = {
  originalRecall: rateSchema
    .describe('For a detector: share of the positives of recallUnderAttack that are detected without attack.')
    .exactOptional(),
  recallUnderAttack: rateSchema
    .describe('For a detector: share of the positives still detected under attack.')
    .exactOptional(),
  evasionRate: rateSchema
    .describe('Share of the detected positives that evade detection under attack.')
    .exactOptional(),
  originalFalsePositiveRate: rateSchema
    .describe(
      'For a detector: share of the negatives of falsePositiveRateUnderAttack that are detected without attack.',
    )
    .exactOptional(),
  falsePositiveRateUnderAttack: rateSchema
    .describe('For a detector: share of the negatives detected without attack or because of it.')
    .exactOptional(),
  alarmRate: rateSchema
    .describe('Share of the undetected negatives that the attack causes to be detected.')
    .exactOptional(),
};

const detectorSchema = z.object(detectorRatesShape);

/** Names of the rates, first without and then under attack. */
export const DETECTOR_RATES: readonly string[] = Object.keys(detectorRatesShape);

/** Rates of a detector over positives, which it should detect, and over negatives. Absent if there are none of either. */
export interface DetectorRates extends Declared<typeof detectorSchema> {}

export function detectorRates(positives: StandingCounts, negatives: StandingCounts): DetectorRates {
  const total = ({ flipped, kept, wrong }: StandingCounts): number => flipped + kept + wrong;
  const found = attackRates(positives);
  return {
    ...(total(positives) > 0 && {
      originalRecall: found.originalAccuracy,
      recallUnderAttack: found.accuracyUnderAttack,
      evasionRate: found.attackSuccessRate,
    }),
    ...(total(negatives) > 0 && {
      // A negative that is classified incorrectly is detected: a false positive.
      originalFalsePositiveRate: wilson(negatives.wrong, total(negatives)),
      falsePositiveRateUnderAttack: wilson(negatives.wrong + negatives.flipped, total(negatives)),
      alarmRate: attackRates(negatives).attackSuccessRate,
    }),
  };
}
