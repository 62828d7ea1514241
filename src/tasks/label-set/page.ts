/** @file What a page shows of a model of label sets. */
import type { LabelSetDecision } from '../../core/decision.js';
import { labelNames, labelScores } from '../page-scores.js';
import type { Page } from '../task.js';

export const page: Page<LabelSetDecision> = {
  answer(decision, labels, row) {
    const scores = labelScores(decision, labels, row, (_, label) => decision.rule.at[label]);
    return { said: labelNames(labels, decision.labels(row), ' + ') || 'no label', boxes: true, scores };
  },
  truth: (decision, row) => ({ label: decision.label(row), labels: decision.labels(row) }),
  goals: [
    ['label-lost', 'make it lose a label'],
    ['label-gained', 'make it add a label'],
  ],
  goalFor: (decision, row) => (decision.labels(row).length === 0 ? 'label-gained' : 'label-lost'),
  words: (goal) =>
    goal === 'label-gained'
      ? { succeeded: 'The attack added a label', failed: 'No label was added', skipped: 'Not attacked' }
      : {
          succeeded: 'The attack removed a label',
          failed: 'All labels were still found',
          skipped: 'Not attacked: it has no label to lose',
        },
  step(decision, example, row) {
    const confidence = decision.confidence(row, example);
    return { confidence, said: `lowest true-label score ${confidence.toFixed(3)}` };
  },
};
