/** @file What readers of a review are asked about a detector. */
import type { ThresholdDecision } from '../../core/decision.js';
import type { Reviewing } from '../task.js';

export const review: Reviewing<ThresholdDecision> = {
  question({ rule: { positive } }, pair) {
    return {
      kind: 'detection',
      prompt: `${pair ? 'Are these two texts' : 'Is this text'} ${positive.join(' or ')}?`,
      options: [{ name: 'yes' }, { name: 'no' }],
    };
  },
  truth: (decision, outcome) => (decision.isPositive(outcome.label) ? 0 : 1),
};
