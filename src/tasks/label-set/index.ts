/** @file Any number of labels for each text. */
import type { LabelSetDecision } from '../../core/decision.js';
import type { Task } from '../task.js';
import { comparing, type LabelSetAnswers } from './compare.js';
import { deciding } from './decide.js';
import { goals } from './goals.js';
import { measuring } from './measure.js';
import { page } from './page.js';
import { review } from './review.js';
import { words } from './words.js';

export const labelSet: Task<LabelSetDecision, LabelSetAnswers> = {
  name: 'multi-label',
  truths: { labelSets: true },
  deciding,
  goals,
  measuring,
  comparing,
  words,
  page,
  explaining: { threshold: ({ at }, { label }) => at[label] },
  review,
  serve: (decision, labels, row) => ({ labels: decision.labels(row).map((label) => labels[label]) }),
};
