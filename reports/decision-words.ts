/** @file Names and formats of a decision's figures: recall of detectors, F1 of label sets, errors of numbers. */
import type { DecisionRule } from '../src/core/decision-schema.js';
import type { Difference } from '../src/core/statistics/rate.js';
import type { Comparison } from '../src/results/comparison/comparison.js';
import type { DecisionDifference } from '../src/results/comparison/decision-difference.js';
import { isPlain } from '../src/results/report/judged-text.js';
import { effectOfDifference } from '../src/tasks/compare.js';
import { decisionText } from '../src/tasks/decide.js';
import { labelUnderAttack } from '../src/tasks/rate-words.js';
import { accuracyInWords, keepsNames } from '../src/tasks/words.js';
import { bounds, percent, points, signed } from './figures.js';

type NullableFigure = { readonly value: number | null };

const WORDS: Readonly<Record<string, string>> = {
  recall: 'recall',
  falsePositiveRate: 'false positive rate',
  precision: 'precision',
  auroc: 'area under ROC',
  averagePrecision: 'average precision',
  microF1: 'micro F1',
  macroF1: 'macro F1',
  meanSquaredError: 'mean squared error',
  meanAbsoluteError: 'mean absolute error',
  pearson: "Pearson's r",
  spearman: "Spearman's r",
  'tags.recall': 'entities found',
  'tags.recallUnderAttack': 'entities found under attack',
  'tags.leakRateBefore': 'entities leaked without attack',
  'tags.leakRate': 'entities leaked',
  recallUnderAttack: 'recall',
  falsePositiveRateUnderAttack: 'false positive rate',
};

/** `regression.pearson` -> `pearson`. */
const last = (metric: string): string => metric.slice(metric.lastIndexOf('.') + 1);

/** `recall`; `threat: recall`. */
export function figureWords(metric: string, rule: DecisionRule | undefined, label?: string): string {
  const words = last(metric) === 'accuracy' ? accuracyInWords(rule) : (WORDS[metric] ?? WORDS[last(metric)] ?? metric);
  return label === undefined ? words : `${label}: ${words}`;
}

/** Name of the rate under an attack: `recall under attack`, `found labels kept`. */
export function underAttackWords(
  metric: string,
  { decisions, goal = '', figures = [] }: Pick<Comparison, 'decisions' | 'goal' | 'figures'>,
): string {
  const rule = decisions?.[0];
  if (keepsNames(rule)) return `${figureWords(metric, rule)} under attack`;
  const labels = [...new Set(figures.flatMap(({ label }) => label ?? []))];
  const words = labelUnderAttack(rule, goal, labels);
  return `${words[0]?.toLowerCase()}${words.slice(1)}`;
}

export const figureValue = (metric: string, { value }: NullableFigure): string =>
  value === null ? '-' : isPlain(metric) ? value.toFixed(3) : percent(value);

/** `+0.012`; a difference that rounds to nothing has no sign. */
const plainly = (value: number): string => (Math.abs(value) < 0.0005 ? '0.000' : signed(value));

/** `+1.2` in points of a rate, else `+0.012`. */
export const figureDifference = (metric: string, { value }: NullableFigure): string =>
  isPlain(metric) && value !== null ? plainly(value) : points(value);

export const figureBounds = (metric: string, difference: Difference): string =>
  isPlain(metric) && difference.low !== null && difference.high !== null
    ? `${plainly(difference.low)} to ${plainly(difference.high)}`
    : bounds(difference);

/** The decisions of two models, and the consequences if they differ. */
export function decisionLines(
  rule: DecisionRule,
  difference: DecisionDifference | undefined,
  [a, b]: readonly [string, string],
): { readonly text: string; readonly warns: boolean } {
  if (difference === undefined) return { text: `Both decide: ${decisionText(rule)}.`, warns: false };
  const each = `${capital(a)} decides: ${difference.a}; ${b}: ${difference.b}.`;
  return difference.kind === 'calibrated'
    ? { text: `${each} The same rule found both thresholds${wanted(rule)}.`, warns: false }
    : { text: `The decisions differ. ${each} ${effectOfDifference(rule)}`, warns: true };
}

/** `a` and `b` are names of columns. */
const capital = (name: string): string => (name.length === 1 ? name : `${name[0]?.toUpperCase()}${name.slice(1)}`);

const wanted = (rule: DecisionRule): string =>
  'calibration' in rule && rule.calibration
    ? `: ${percent(rule.calibration.wanted)} false positives on ${rule.calibration.data}`
    : '';
