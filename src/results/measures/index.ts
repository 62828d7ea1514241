/** @file Measures of every attack. */
import { confirmations } from './confirmations.js';
import { curvesMeasure } from './curves.js';
import { details } from './details.js';
import type { Measure } from './measure.js';
import { quality } from './quality.js';
import { REVIEW_MEASURES } from './review.js';
import { untried } from './untried.js';

export const GENERAL_MEASURES: readonly Measure[] = [
  untried,
  details,
  quality,
  confirmations,
  curvesMeasure(),
  ...REVIEW_MEASURES,
];
