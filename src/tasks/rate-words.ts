/** @file Names of attacks' rates, by the victim's decision and the attack's goal. */
import type { DecisionRule } from '../core/decision.js';
import { DETECTOR_RATES } from '../results/measures/attack-rates.js';
import { type Metric, valueAt } from '../results/measures/measure.js';
import type { Report } from '../results/report/report.js';
import { taskOfRule } from './index.js';
import { RATES_OF_LABELS } from './one-label/words.js';
import type { RateWords } from './task.js';

export type RatedReport = Pick<Report, 'attacks' | 'measures' | 'model' | 'provenance'>;

/** Rates of successes. */
const SUCCESS_RATES: readonly string[] = ['attackSuccessRate', 'evasionRate', 'alarmRate'];

export const isSuccessRate = (key: string): boolean => SUCCESS_RATES.includes(key);

/** Whether it is a rate that an attack can change. */
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

const wordsOf = (rule: DecisionRule | undefined, goal: string, labels: readonly string[]): RateWords =>
  (rule && taskOfRule(rule).words?.rates(rule, goal, labels)) ?? RATES_OF_LABELS;
