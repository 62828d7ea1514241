/** @file Spans of a text: each example is an entity, whose type is its label. */
import type { Decision } from '../../core/decision.js';
import { oneLabel } from '../one-label/index.js';
import type { Task } from '../task.js';
import { goals } from './goals.js';
import { page } from './page.js';

export const tags: Task<Decision> = { ...oneLabel, name: 'tags', truths: { tags: true }, goals, page };
