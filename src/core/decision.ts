/**
 * @file Turns a row of scores into an answer, for every part of the program: the most probable label, whether the scores of some labels
 * reach a threshold, all labels that reach theirs, or a number.
 */

import type { Example } from './dataset.js';
import type { DecisionRule, MultiLabelRule, RegressionRule, ThresholdRule } from './decision-schema.js';
import { defined } from './defined.js';
import type { Outcome } from './outcome.js';
import type { TagReading } from './output-reading.js';
import {
  byName,
  exceedsNoise,
  highestOf,
  leadOverLabel,
  NO_LABEL,
  predictedLabel,
  TIE_MARGIN,
  tiedLabels,
} from './prediction.js';
import { thresholdText } from './score-text.js';

export type {
  DecisionRule,
  MultiLabelRule,
  RegressionRule,
  ThresholdCalibration,
  ThresholdRule,
} from './decision-schema.js';

/** The true label, labels or number of a text. */
export type Truth = Pick<Example, 'label' | 'labels' | 'value'>;

export interface Decision {
  /** Absent if the decision is the most probable label. */
  readonly rule?: DecisionRule;
  /** Present if the victim tags: its answers are types of entities, the last label stands for none. */
  readonly tags?: TagReading;
  /** Largest difference between two answers to one text; 0 if the answers do not vary, or if that was not measured. */
  readonly noise: number;
  /** Label of a row; the most probable one of several. -1 without one, or if two tie. */
  label(row: ArrayLike<number>): number;
  /** Labels that tie for the highest score, ascending. Empty if the row is decided. */
  tied(row: ArrayLike<number>): number[];
  /** All labels of a row, ascending. */
  labels(row: ArrayLike<number>): number[];
  /** Is the answer correct? */
  right(row: ArrayLike<number>, truth: Truth): boolean;
  /** Confidence in the true answer, from 0 to 1. */
  confidence(row: ArrayLike<number>, truth: Truth): number;
}

export interface ThresholdDecision extends Decision {
  readonly rule: ThresholdRule;
  /** Is it one of the labels that are detected? */
  isPositive(label: number): boolean;
  /** Joint score of the positive labels. */
  score(row: ArrayLike<number>): number;
  /** Distance above the threshold; negative below it. */
  margin(row: ArrayLike<number>): number;
  /** Does it reach the threshold? */
  detects(row: ArrayLike<number>): boolean;
}

export interface LabelSetDecision extends Decision {
  readonly rule: MultiLabelRule;
  /** Labels sorted by name, which breaks ties between equal scores. */
  readonly order: readonly number[];
  /** Does the score of this label reach its threshold? */
  holds(row: ArrayLike<number>, label: number): boolean;
  /** Distance above the label's threshold; negative below it. */
  margin(row: ArrayLike<number>, label: number): number;
}

/** A row is one number. Its only label names the quantity. */
export interface NumberDecision extends Decision {
  readonly rule: RegressionRule;
  value(row: ArrayLike<number>): number;
}

/** The true labels of a text. */
export const trueLabels = ({ label, labels }: Truth): readonly number[] => labels ?? (label < 0 ? [] : [label]);

const never = (): number[] => [];

/** The most probable label; none if labels tie. */
const mostProbableBy = (noise: number): Decision => ({
  noise,
  label: predictedLabel,
  tied: tiedLabels,
  labels: (row) => {
    const label = predictedLabel(row);
    return label === NO_LABEL ? [] : [label];
  },
  right: (row, { label }) => label >= 0 && predictedLabel(row) === label,
  confidence: (row, { label }) => row[label]!,
});

/** The most probable label, for a victim whose answers do not vary. */
export const mostProbable: Decision = mostProbableBy(0);

/** The decision of a rule, for a victim with these labels and this noise. Throws RangeError if the rule does not fit them. */
export function decisionOf(
  rule: DecisionRule | undefined,
  labels: readonly string[],
  noise = 0,
  tags?: TagReading,
): Decision {
  if (tags !== undefined) return { ...mostProbableBy(noise), tags };
  if (rule === undefined) return noise === 0 ? mostProbable : mostProbableBy(noise);
  if (rule.kind === 'regression') return regressor(rule, labels, noise);
  return rule.kind === 'threshold' ? detector(rule, labels, noise) : labeller(rule, labels, noise);
}

export const isDetector = (decision: Decision): decision is ThresholdDecision => decision.rule?.kind === 'threshold';
export const isLabeller = (decision: Decision): decision is LabelSetDecision => decision.rule?.kind === 'multi-label';
export const isRegressor = (decision: Decision): decision is NumberDecision => decision.rule?.kind === 'regression';

/** Joint score of several labels. */
export function positiveScore(row: ArrayLike<number>, positive: readonly number[], by: ThresholdRule['by']): number {
  if (by === 'max') return row[highestOf(row, positive)]!;
  let sum = 0;
  for (const label of positive) sum += row[label]!;
  return Math.min(1, sum);
}

function detector(rule: ThresholdRule, labels: readonly string[], noise: number): ThresholdDecision {
  const positive = rule.positive.map((name) => labels.indexOf(name));
  const order = byName(labels);
  const negative = order.filter((label) => !positive.includes(label));
  const detected = order.filter((label) => positive.includes(label));
  if (positive.length === 0 || positive.includes(-1) || negative.length === 0) {
    throw new RangeError(
      `expected some of the labels ${labels.join(', ')} to be detected, got ${rule.positive.join(', ') || 'none'}`,
    );
  }
  // Scores have single precision: a score written as 0.7 must reach a threshold of 0.7.
  const at = Math.fround(rule.at);
  const [only] = positive as [number];
  // Searches compute this for every text, so the usual single label is read without a loop.
  const score =
    positive.length === 1
      ? (row: ArrayLike<number>): number => row[only]!
      : (row: ArrayLike<number>): number => positiveScore(row, positive, rule.by);
  const detects = (row: ArrayLike<number>): boolean => score(row) >= at;
  const isPositive =
    positive.length === 1 ? (label: number) => label === only : (label: number) => positive.includes(label);
  const label = (row: ArrayLike<number>): number => highestOf(row, detects(row) ? detected : negative);
  return {
    rule,
    noise,
    score,
    margin: (row) => score(row) - at,
    detects,
    isPositive,
    label,
    tied: never,
    labels: (row) => [label(row)],
    right: (row, truth) => detects(row) === isPositive(truth.label),
    confidence: (row, truth) => (isPositive(truth.label) ? score(row) : 1 - score(row)),
  };
}

function labeller(rule: MultiLabelRule, labels: readonly string[], noise: number): LabelSetDecision {
  if (rule.at.length !== labels.length) {
    throw new RangeError(`expected a threshold for each of ${labels.length} labels, got ${rule.at.length}`);
  }
  const at = rule.at.map(Math.fround);
  const margin = (row: ArrayLike<number>, label: number): number => row[label]! - at[label]!;
  const holds = (row: ArrayLike<number>, label: number): boolean => margin(row, label) >= 0;
  const heldLabels = (row: ArrayLike<number>): number[] =>
    labels.flatMap((_, label) => (holds(row, label) ? [label] : []));
  const order = byName(labels);
  return {
    rule,
    noise,
    order,
    holds,
    margin,
    label: (row) => {
      const found = order.filter((label) => holds(row, label));
      return found.length === 0 ? NO_LABEL : highestOf(row, found);
    },
    tied: never,
    labels: heldLabels,
    right: (row, truth) => {
      const [found, wanted] = [heldLabels(row), trueLabels(truth)];
      return found.length === wanted.length && wanted.every((label) => found.includes(label));
    },
    // The least confident true answer; for a text without labels, the confidence that the most probable one does not apply.
    confidence: (row, truth) => {
      const wanted = trueLabels(truth);
      return wanted.length === 0 ? 1 - Math.max(...Array.from(row)) : Math.min(...wanted.map((label) => row[label]!));
    },
  };
}

function regressor(rule: RegressionRule, labels: readonly string[], noise: number): NumberDecision {
  if (labels.length !== 1 || !(rule.delta > 0)) {
    throw new RangeError(`expected one number and a delta above 0, got ${labels.length} labels and ${rule.delta}`);
  }
  const value = (row: ArrayLike<number>): number => row[0]!;
  return {
    rule,
    noise,
    value,
    label: () => 0,
    tied: never,
    labels: () => [0],
    right: (row, truth) => within(rule, value(row), truth.value),
    confidence: value,
  };
}

/** Smallest distance from `start` at which a number differs from it: delta, less a possible rounding error of single precision. */
export function leastDistance({ delta }: RegressionRule, start: number): number {
  const rounding = TIE_MARGIN * Math.max(1, Math.abs(start));
  return Math.max(delta - rounding, 2 * rounding);
}

const within = (rule: RegressionRule, answer: number, truth = Number.NaN): boolean =>
  Math.abs(answer - truth) < leastDistance(rule, truth);

/** Is the answer wrong by more than the victim's noise? A tie that includes the true label is neither correct nor fooled. */
export const isFooled = (decision: Decision, row: ArrayLike<number>, truth: Truth): boolean =>
  decision.rule === undefined
    ? exceedsNoise(leadOverLabel(row, truth.label), decision.noise)
    : !decision.right(row, truth);

/** Did the victim answer the unedited text of an outcome? `from` is -1 also for ties and for answers without a label. */
export const wasAnswered = ({
  from,
  fromLabels,
  fromTied,
  status,
  scoreBefore,
}: Pick<Outcome, 'from' | 'fromLabels' | 'fromTied' | 'status' | 'scoreBefore'>): boolean =>
  from >= 0 ||
  fromTied !== undefined ||
  // A text that could not be classified is recorded with an empty set and a score of 0.
  (fromLabels !== undefined && !(status === 'errored' && fromLabels.length === 0 && scoreBefore === 0));

/** Was the unedited text of an outcome classified correctly? */
export function readRight(
  decision: Decision,
  {
    label,
    labels,
    from,
    fromLabels,
    value,
    scoreBefore = Number.NaN,
  }: Pick<Outcome, 'label' | 'labels' | 'from' | 'fromLabels' | 'value'> & Partial<Pick<Outcome, 'scoreBefore'>>,
): boolean {
  if (isRegressor(decision)) return within(decision.rule, scoreBefore, value);
  if (isDetector(decision)) return decision.isPositive(from) === decision.isPositive(label);
  if (!isLabeller(decision)) return from === label;
  const wanted = trueLabels({ label, ...defined({ labels }) });
  return fromLabels?.length === wanted.length && fromLabels.every((each) => wanted.includes(each));
}

/** A short description: "jailbreak from a score of 0.83 on". */
export function decisionText(rule: DecisionRule): string {
  if (rule.kind === 'regression') return `a number; answers ${thresholdText(rule.delta)} or more apart differ`;
  if (rule.kind === 'multi-label') {
    const [first, ...others] = [...new Set(rule.at)];
    return others.length === 0
      ? `each label from a score of ${thresholdText(first!)} on`
      : 'each label from its threshold on';
  }
  const of = rule.positive.length === 1 ? '' : rule.by === 'max' ? 'the highest of ' : 'the sum of ';
  return `${of}${rule.positive.join(', ')} from a score of ${thresholdText(rule.at)} on`;
}
