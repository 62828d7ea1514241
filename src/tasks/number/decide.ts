/** @file A number instead of a label. */
import type { Decision, NumberDecision, RegressionRule } from '../../core/decision.js';
import { regressionKind } from '../../core/decision-schema.js';
import { TIE_MARGIN } from '../../core/prediction.js';
import { thresholdText } from '../../core/score-text.js';
import type { Deciding } from '../task.js';

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
    tied: () => [],
    labels: () => [0],
    right: (row, truth) => within(rule, value(row), truth.value),
    confidence: value,
    truth: 'value',
    readRight: ({ value: truth, scoreBefore = Number.NaN }) => within(rule, scoreBefore, truth),
  };
}

/** Smallest distance from `start` at which a number differs from it: delta, less a possible rounding error of single precision. */
export function leastDistance({ delta }: RegressionRule, start: number): number {
  const rounding = TIE_MARGIN * Math.max(1, Math.abs(start));
  return Math.max(delta - rounding, 2 * rounding);
}

const within = (rule: RegressionRule, answer: number, truth = Number.NaN): boolean =>
  Math.abs(answer - truth) < leastDistance(rule, truth);

export const isRegressor = (decision: Decision): decision is NumberDecision => decision.rule?.kind === 'regression';

export const deciding: Deciding<NumberDecision> = {
  kind: regressionKind,
  decision: regressor,
  text: ({ delta }) => `a number; answers ${thresholdText(delta)} or more apart differ`,
};
