/** @file What readers of a review are asked about a model that gives each text one label. */
import type { Decision } from '../../core/decision.js';
import type { Reviewing } from '../task.js';

export const review: Reviewing<Decision> = {
  question: (_, pair) => ({ kind: 'label', prompt: `Which label fits ${pair ? 'these two texts' : 'this text'}?` }),
  truth: (_, { label }) => label,
};
