/**
 * @file The rates of attacks: the one place that says what is divided by what. Rates that stand together are over the same examples, so without
 * a success the rate under attack equals the original one, and it never exceeds it.
 */
import { besideGoal, hasFailed, type Outcome } from './outcome.js';
import type { Rate } from './rate.js';
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

/** With f flipped, k kept and w wrong examples. */
export interface AttackRates {
  /** (f + k) / (f + k + w) */
  readonly originalAccuracy: Rate;
  /** k / (f + k + w) */
  readonly accuracyUnderAttack: Rate;
  /** f / (f + k) */
  readonly attackSuccessRate: Rate;
}

export const attackRates = ({ flipped, kept, wrong }: StandingCounts): AttackRates => ({
  originalAccuracy: wilson(flipped + kept, flipped + kept + wrong),
  accuracyUnderAttack: wilson(kept, flipped + kept + wrong),
  attackSuccessRate: wilson(flipped, flipped + kept),
});

/** The rates of a detector over its positives, which it should detect, and over its negatives; absent where there are none. */
export interface DetectorRates {
  /** The share of the positives that is detected: without an attack, and under it. */
  readonly originalRecall?: Rate;
  readonly recallUnderAttack?: Rate;
  /** Of the positives detected, the share that the attack gets past. */
  readonly evasionRate?: Rate;
  /** The share of the negatives that is detected: without an attack, and under it. */
  readonly originalFalsePositiveRate?: Rate;
  readonly falsePositiveRateUnderAttack?: Rate;
  /** Of the negatives let pass, the share that the attack makes it detect. */
  readonly alarmRate?: Rate;
}

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
