/** @file What readers of a review are asked about a model of label sets. */
import { type LabelSetDecision, trueLabels } from '../../core/decision.js';
import type { Reviewing } from '../task.js';

export const review: Reviewing<LabelSetDecision> = {
  question: (_, pair) => ({
    kind: 'labels',
    prompt: `Which labels fit ${pair ? 'these two texts' : 'this text'}? Choose all that do.`,
  }),
  truth: (_, outcome) => [...trueLabels(outcome)].sort((a, b) => a - b),
};
