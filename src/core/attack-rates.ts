/**
 * @file The rates of attacks: the one place that says what is divided by what. Rates that stand together are over the same examples, so without
 * a success the rate under attack equals the original one, and it never exceeds it.
 */
import { z } from 'zod';
import { type Declared, recent } from './declared.js';
import { besideGoal, hasFailed, type Outcome } from './outcome.js';
import { rateSchema } from './rate.js';
import { wilson } from './stats.js';

/** How an example counts: classified correctly at first and flipped, or not flipped; or classified incorrectly at first. */
export type Standing = 'flipped' | 'kept' | 'wrong';

/**
 * Undefined of an example that counts in no rate: it errored, the goal is not after it, or the victim refused to answer. One that the attack
 * could not edit is kept: no adversarial text exists for it.
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
    'Correctly classified under attack, of the examples put to the attack: k / (f + k + w). Neither errored examples nor those the goal is not after count; examples that the attack could not edit stay correctly classified.',
  ),
};

const ratesSchema = z.object(attackRatesShape);

export interface AttackRates extends Declared<typeof ratesSchema> {}

/** For `refine`: the rates of one attack, suite or report are over the same examples. */
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
    .describe('Of a detector: positives detected without attack, of those that recallUnderAttack is over.')
    .exactOptional(),
  recallUnderAttack: rateSchema.describe('Of a detector: positives still detected under attack.').exactOptional(),
  evasionRate: rateSchema.describe('Of the positives detected, those that the attack gets past.').exactOptional(),
  originalFalsePositiveRate: rateSchema
    .describe('Of a detector: negatives detected without attack, of those that falsePositiveRateUnderAttack is over.')
    .exactOptional(),
  falsePositiveRateUnderAttack: rateSchema
    .describe('Of a detector: negatives detected without attack or because of it.')
    .exactOptional(),
  alarmRate: rateSchema
    .describe('Of the negatives that are not detected, those that the attack makes it detect.')
    .exactOptional(),
};

const detectorSchema = z.object(detectorRatesShape);

/** Their names, before an attack and under it. */
export const DETECTOR_RATES: readonly string[] = Object.keys(detectorRatesShape);

/** The rates of a detector over its positives, which it should detect, and over its negatives; absent where there are none. */
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
