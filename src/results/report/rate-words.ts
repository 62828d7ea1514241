/** @file Names of attacks' rates, by the victim's decision and the attack's goal. */

import type { DecisionRule } from '../../core/decision.js';
import { DETECTOR_RATES } from '../measures/attack-rates.js';
import { type Metric, valueAt } from '../measures/measure.js';
import type { Report } from './report.js';

export type RatedReport = Pick<Report, 'attacks' | 'measures' | 'model' | 'provenance'>;

interface RateWords {
  readonly original: Omit<Metric, 'key' | 'unit'>;
  readonly underAttack: Omit<Metric, 'key' | 'unit'>;
}

const ACCURACY: RateWords = {
  original: { label: 'Original accuracy' },
  underAttack: { label: 'Accuracy under attack' },
};

/** Rates of successes. */
const SUCCESS_RATES: readonly string[] = ['attackSuccessRate', 'evasionRate', 'alarmRate'];

export const isSuccessRate = (key: string): boolean => SUCCESS_RATES.includes(key);

/** Is it a rate that an attack can change? */
export const isUnderAttack = (key: string): boolean => isSuccessRate(key) || /UnderAttack$/.test(key);

/** The rates of each attack, which are over the same examples: before it, under it, and of its successes. */
export function rateMetrics(report: RatedReport): Metric[] {
  const { attacks, model, measures = [] } = report;
  const sides = measures
    .flatMap((measure) => measure.metrics ?? [])
    .filter(({ key }) => DETECTOR_RATES.includes(key) && attacks.some((attack) => valueAt(attack, key) !== undefined));
  if (sides.length > 0) return sides;
  const { original, underAttack } = wordsOf(model.decision, goalOf(report), model.labels);
  return [
    { key: 'originalAccuracy', unit: 'rate', ...original },
    { key: 'accuracyUnderAttack', unit: 'rate', ...underAttack },
    { key: 'attackSuccessRate', unit: 'rate', label: 'Attack success rate' },
  ];
}

/** The name of the goal, as the run's fingerprint has it; empty where it is not known. */
const goalOf = ({ provenance }: RatedReport): string => String(provenance?.fingerprint.goal ?? '');

/** Name of the rate under an attack for a victim other than a detector: `Accuracy under attack`, `Found labels kept`. */
export const labelUnderAttack = (decision: DecisionRule | undefined, goal: string, labels: readonly string[]): string =>
  wordsOf(decision, goal, labels).underAttack.label;

function wordsOf(decision: DecisionRule | undefined, goal: string, labels: readonly string[]): RateWords {
  if (decision?.kind === 'regression') return numberWords(decision.delta);
  return decision?.kind === 'multi-label' ? labelSetWords(goal, labels) : ACCURACY;
}

const numberWords = (delta: number): RateWords => ({
  original: { label: `Within ${delta}`, about: `share of the answers within ${delta} of the true number` },
  underAttack: {
    label: `Within ${delta}, not moved`,
    about: `share of the answers that are within ${delta} of the true number and move by less than ${delta} under attack`,
  },
});

function labelSetWords(goal: string, labels: readonly string[]): RateWords {
  const one = labels[Number(/^label-lost of label (\d+)/.exec(goal)?.[1] ?? -1)];
  if (one !== undefined) {
    return {
      original: { label: 'Original recall', about: `share of the texts labelled ${one} in which it is found` },
      underAttack: {
        label: 'Recall under attack',
        about: `share of the texts labelled ${one} in which it is still found`,
      },
    };
  }
  if (goal.startsWith('label-lost')) {
    return {
      original: { label: 'True label found', about: 'share of the labelled texts in which a true label is found' },
      underAttack: {
        label: 'Found labels kept',
        about: 'share of the labelled texts in which a true label is found and none of them is lost under attack',
      },
    };
  }
  if (goal.startsWith('label-gained')) {
    return {
      original: { label: 'Texts that can gain a label' },
      underAttack: { label: 'Texts that gain no label', about: 'of those that can gain one, under attack' },
    };
  }
  if (goal === '') return ACCURACY;
  return {
    original: { label: 'Sets correct', about: 'share of the texts for which the set of labels is correct' },
    underAttack: { label: 'Sets correct under attack' },
  };
}
