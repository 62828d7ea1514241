/** @file The score that explains a detector. */
import type { ThresholdRule } from '../../core/decision.js';
import type { ExplainedAnswer, Explaining } from '../task.js';
import { positiveScore } from './decide.js';

/** The score of its labels; of a single label its own. */
function answer({ positive, by }: ThresholdRule, labels: readonly string[]): ExplainedAnswer {
  const indices = positive.map((name) => labels.indexOf(name));
  const [label] = indices as [number];
  if (indices.length === 1) return { label };
  const name = `${by === 'max' ? 'the highest of' : 'the sum of'} ${positive.join(', ')}`;
  return { label, score: { name, of: (row) => positiveScore(row, indices, by) } };
}

export const explaining: Explaining<ThresholdRule> = {
  answer,
  threshold: ({ positive, at }, { label, score }, labels) =>
    score !== undefined || (positive.length === 1 && positive[0] === labels[label]) ? at : undefined,
};
