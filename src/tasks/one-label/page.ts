/** @file What a page shows of a model that gives each text one label. */
import type { Decision } from '../../core/decision.js';
import { labelNames, labelScores } from '../page-scores.js';
import type { AttackStep, Page } from '../task.js';

/** The answer, and how sure the model is of the true one. */
export const labelPage: Pick<Page<Decision>, 'answer' | 'truth' | 'step'> = {
  answer(decision, labels, row) {
    const scores = labelScores(decision, labels, row);
    const tied = decision.tied(row);
    if (tied.length > 0) return { said: `${labelNames(labels, tied, ' and ')} tied`, scores };
    return { said: labelNames(labels, decision.labels(row), ' + '), scores };
  },
  truth: (decision, row) => ({ label: decision.label(row) }),
  step(decision, example, row): AttackStep {
    const confidence = decision.confidence(row, example);
    return { confidence, said: `confidence ${confidence.toFixed(3)}` };
  },
};

export const page: Page<Decision> = { ...labelPage, goals: [['untargeted', 'change the answer']], oneTruth: true };
