/** @file One label for each text: the most probable one. */
import type { Decision } from '../../core/decision.js';
import { predictedLabel } from '../../core/prediction.js';
import type { Task } from '../task.js';
import { goals } from './goals.js';
import { measuring } from './measure.js';
import { page } from './page.js';
import { review } from './review.js';

export const oneLabel: Task<Decision> = {
  name: 'argmax',
  goals,
  measuring,
  page,
  review,
  // No label if several share the highest score.
  serve: (_, labels, row) => ({ label: labels[predictedLabel(row)] ?? null }),
};
