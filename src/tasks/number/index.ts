/** @file A number for each text. */
import type { NumberDecision } from '../../core/decision.js';
import type { Task } from '../task.js';
import { comparing, type NumberAnswers } from './compare.js';
import { deciding } from './decide.js';
import { goals } from './goals.js';
import { measuring } from './measure.js';
import { page } from './page.js';
import { words } from './words.js';

export const number: Task<NumberDecision, NumberAnswers> = {
  name: 'regression',
  truths: { numbers: true },
  deciding,
  goals,
  measuring,
  comparing,
  words,
  page,
  serve: (decision, _, row) => ({ value: decision.value(row) }),
};
