/** @file A number instead of a label. */
import type { Dataset } from '../../core/dataset.js';
import type { NumberDecision, RegressionRule } from '../../core/decision.js';
import { regressionKind } from '../../core/decision-schema.js';
import { RobustError } from '../../core/errors.js';
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

export const deciding: Deciding<NumberDecision> = {
  kind: regressionKind,
  decision: regressor,
  text: ({ delta }) => `a number; answers ${thresholdText(delta)} or more apart differ`,
};

/** Share of the range of a data set's numbers by which two numbers differ, unless a flag or the model's folder says otherwise. */
const DELTA_SHARE = 0.1;

/** A tenth of the range of the true numbers of all examples. Throws RobustError where all are equal. */
export async function rangeDelta(dataset: Pick<Dataset, 'name' | 'examples'>): Promise<number> {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for await (const { value = Number.NaN } of dataset.examples()) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  // A tenth of a range such as 4.8 - 0.2 should not end in rounding errors.
  if (most > least) return Number((DELTA_SHARE * (most - least)).toPrecision(6));
  throw new RobustError(`${dataset.name}: expected different numbers, got ${least} for every text`, {
    code: 'DECISION_INVALID',
    hint: 'By how much or more must two numbers differ? For example: --task regression:delta=0.5',
  });
}
