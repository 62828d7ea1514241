/** @file What a page shows of a model that returns a number. */
import type { NumberDecision } from '../../core/decision.js';
import type { Page } from '../task.js';

export const page: Page<NumberDecision> = {
  answer: (decision, _, row) => ({ said: decision.value(row).toFixed(3), scores: [] }),
  truth: (decision, row) => ({ label: 0, value: decision.value(row) }),
  goals: [
    ['moved', 'change the number'],
    ['moved:direction=up', 'raise the number'],
    ['moved:direction=down', 'lower the number'],
  ],
  step(decision, example, row) {
    const value = decision.value(row);
    return { confidence: 1 / (1 + Math.abs(value - (example.value ?? value))), said: `answer ${value.toFixed(3)}` };
  },
};
