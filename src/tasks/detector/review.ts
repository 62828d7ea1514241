/** @file What readers of a review are asked about a detector. */
import type { ThresholdDecision } from '../../core/decision.js';
import type { Reviewing } from '../task.js';

export const review: Reviewing<ThresholdDecision> = {
  question({ rule: { positive } }, pair, help) {
    const about = positive.flatMap((name) => help[name] ?? []).join('; ');
    return {
      kind: 'detection',
      prompt: `${pair ? 'Are these two texts' : 'Is this text'} ${positive.join(' or ')}?`,
      options: [{ name: 'yes', ...(about !== '' && { help: about }) }, { name: 'no' }],
    };
  },
  truth: (decision, outcome) => (decision.isPositive(outcome.label) ? 0 : 1),
};
