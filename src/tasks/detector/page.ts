/** @file What a page shows of a detector. */
import type { ThresholdDecision } from '../../core/decision.js';
import { besideThreshold, labelScores } from '../page-scores.js';
import type { Page } from '../task.js';

export const page: Page<ThresholdDecision> = {
  answer(decision, labels, row) {
    const { at, positive } = decision.rule;
    const flagged = decision.detects(row);
    const [score, threshold] = besideThreshold(decision.score(row), at);
    return {
      said: flagged ? `${positive.join(' or ')}: detected` : `${positive.join(' or ')}: not detected`,
      note: `The score ${score} ${flagged ? 'reaches' : 'is below'} the threshold ${threshold}.`,
      scores: labelScores(decision, labels, row, (name) => (positive.includes(name) ? at : undefined)),
    };
  },
  truth: (decision, row) => ({ label: decision.label(row) }),
  goals: [
    ['evade', 'make it miss'],
    ['alarm', 'raise a false alarm'],
  ],
  // What is detected is to be missed, what is not is to raise an alarm.
  goalFor: (decision, row) => (decision.detects(row) ? 'evade' : 'alarm'),
  words: (goal) =>
    goal === 'alarm'
      ? { succeeded: 'False alarm raised', failed: 'No false alarm', skipped: 'Not attacked: it is detected already' }
      : {
          succeeded: 'Missed: the attack got past the detector',
          failed: 'Still detected',
          skipped: 'Not attacked: it is not detected',
        },
  step(decision, example, row) {
    const [score] = besideThreshold(decision.score(row), decision.rule.at);
    return { confidence: decision.confidence(row, example), said: `score ${score}` };
  },
};
