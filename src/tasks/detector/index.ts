/** @file A detector: a threshold on the score of the labels that it detects. */
import type { ThresholdDecision } from '../../core/decision.js';
import type { Task } from '../task.js';
import { comparing, type DetectorAnswers } from './compare.js';
import { deciding } from './decide.js';
import { explaining } from './explain.js';
import { goals } from './goals.js';
import { measuring } from './measure.js';
import { page } from './page.js';
import { review } from './review.js';
import { words } from './words.js';

export const detector: Task<ThresholdDecision, DetectorAnswers> = {
  name: 'threshold',
  deciding,
  goals,
  measuring,
  comparing,
  words,
  page,
  explaining,
  review,
  serve: (decision, labels, row) => ({
    label: labels[decision.label(row)],
    flagged: decision.detects(row),
    score: decision.score(row),
  }),
};
