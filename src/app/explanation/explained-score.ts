/** @file The part of a model's answer that is explained: the most probable label, or the score that its decision compares with a threshold. */
import type { DecisionRule } from '../../core/decision.js';
import { foremostLabel } from '../../core/prediction.js';
import type { Explanation } from '../../results/report/explanation.js';
import { taskOfRule } from '../../tasks/index.js';
import type { ExplainedAnswer } from '../../tasks/task.js';

export type { ExplainedAnswer } from '../../tasks/task.js';

/** The score that a rule compares with its threshold, if it is not that of the most probable label. */
export const scoreOfRule = (rule: DecisionRule | undefined, labels: readonly string[]): ExplainedAnswer | undefined =>
  rule && taskOfRule(rule).explaining?.answer?.(rule, labels);

/** The part of an answer to explain: the named label, else the label or score of the decision; of a regression the number. */
export function explainedAnswer(
  row: ArrayLike<number>,
  labels: readonly string[],
  rule: DecisionRule | undefined,
  named: number | undefined,
): ExplainedAnswer {
  if (named !== undefined) return { label: named };
  return scoreOfRule(rule, labels) ?? { label: foremostLabel(row, labels) };
}

/** The explanation with what its decision makes of the explained score; as it is where the decision does not ask for it. */
export function withDecision(
  made: Explanation,
  { label, score }: ExplainedAnswer,
  rule: DecisionRule | undefined,
): Explanation {
  const { probabilities, model } = made;
  const threshold = rule && taskOfRule(rule).explaining?.threshold(rule, { label, score }, model.labels);
  if (rule === undefined || threshold === undefined) return made;
  const value = score?.of(probabilities) ?? probabilities[label]!;
  return { ...made, decision: { rule, score: value, threshold, reached: value >= Math.fround(threshold) } };
}
