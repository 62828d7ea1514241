/** @file The part of a model's answer that is explained: the most probable label, or the score that its decision compares with a threshold. */
import { type DecisionRule, positiveScore } from '../../core/decision.js';
import { foremostLabel } from '../../core/prediction.js';
import type { ExplainedScore } from '../../explain/index.js';
import type { Explanation } from '../../results/report/explanation.js';

/** As `explain` takes it. */
export interface ExplainedAnswer {
  readonly label: number;
  readonly score?: ExplainedScore;
}

/** The score that a detector of these labels compares with its threshold; of a single label its own. */
export function detectorScore(
  { positive, by }: Extract<DecisionRule, { kind: 'threshold' }>,
  labels: readonly string[],
): ExplainedAnswer {
  const indices = positive.map((name) => labels.indexOf(name));
  const [label] = indices as [number];
  if (indices.length === 1) return { label };
  const name = `${by === 'max' ? 'the highest of' : 'the sum of'} ${positive.join(', ')}`;
  return { label, score: { name, of: (row) => positiveScore(row, indices, by) } };
}

/** The part of an answer to explain: the named label, else the label or score of the decision; of a regression the number. */
export function explainedAnswer(
  row: ArrayLike<number>,
  labels: readonly string[],
  rule: DecisionRule | undefined,
  named: number | undefined,
): ExplainedAnswer {
  if (named !== undefined) return { label: named };
  if (rule?.kind === 'threshold') return detectorScore(rule, labels);
  return { label: foremostLabel(row, labels) };
}

/** The explanation with what its decision makes of the explained score; as it is where the decision does not ask for it. */
export function withDecision(
  made: Explanation,
  { label, score }: ExplainedAnswer,
  rule: DecisionRule | undefined,
): Explanation {
  if (rule === undefined || rule.kind === 'regression') return made;
  const { probabilities, model } = made;
  const detects =
    rule.kind === 'threshold' &&
    (score !== undefined || (rule.positive.length === 1 && rule.positive[0] === model.labels[label]));
  if (rule.kind === 'threshold' && !detects) return made;
  const threshold = rule.kind === 'threshold' ? rule.at : rule.at[label]!;
  const value = score?.of(probabilities) ?? probabilities[label]!;
  return { ...made, decision: { rule, score: value, threshold, reached: value >= Math.fround(threshold) } };
}
