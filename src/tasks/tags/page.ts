/** @file What a page shows of a model that tags. */
import type { Decision } from '../../core/decision.js';
import { labelPage } from '../one-label/page.js';
import type { Page } from '../task.js';

export const page: Page<Decision> = { ...labelPage, goals: [['lose', 'lose the surest entity']] };
