/** @file A detector: the score of the labels that it detects reaches the threshold, or does not. */
import type { ThresholdDecision, ThresholdRule } from '../../core/decision.js';
import { thresholdKind } from '../../core/decision-schema.js';
import { must } from '../../core/errors.js';
import { byName, highestOf } from '../../core/prediction.js';
import { thresholdText } from '../../core/score-text.js';
import type { Deciding } from '../task.js';

/** Joint score of several labels. */
export function positiveScore(row: ArrayLike<number>, positive: readonly number[], by: ThresholdRule['by']): number {
  if (by === 'max') return must(row[highestOf(row, positive)]);
  let sum = 0;
  for (const label of positive) sum += must(row[label]);
  return Math.min(1, sum);
}

function detector(rule: ThresholdRule, labels: readonly string[], noise: number): ThresholdDecision {
  const positive = rule.positive.map((name) => labels.indexOf(name));
  const order = byName(labels);
  const negative = order.filter((label) => !positive.includes(label));
  const detected = order.filter((label) => positive.includes(label));
  if (positive.length === 0 || positive.includes(-1) || negative.length === 0)
    throw new RangeError(
      `expected some of the labels ${labels.join(', ')} to be detected, got ${rule.positive.join(', ') || 'none'}`,
    );
  // Scores have single precision: a score written as 0.7 must reach a threshold of 0.7.
  const at = Math.fround(rule.at);
  const [only] = positive as [number];
  // Searches compute this for every text, so the usual single label is read without a loop.
  const score =
    positive.length === 1
      ? (row: ArrayLike<number>): number => must(row[only])
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
    tied: () => [],
    labels: (row) => [label(row)],
    right: (row, truth) => detects(row) === isPositive(truth.label),
    confidence: (row, truth) => (isPositive(truth.label) ? score(row) : 1 - score(row)),
    truth: 'label',
    readRight: ({ label: wanted, from }) => isPositive(from) === isPositive(wanted),
  };
}

/** What the score is of, and the threshold. */
function text({ positive, by, at }: ThresholdRule): string {
  const of = positive.length === 1 ? '' : by === 'max' ? 'the highest of ' : 'the sum of ';
  return `${of}${positive.join(', ')} from a score of ${thresholdText(at)} on`;
}

export const deciding: Deciding<ThresholdDecision> = { kind: thresholdKind, decision: detector, text };
