/** @file The measures of every attack. */
import type { Measure } from '../measure.js';
import type { EvasionPlugin } from '../plugin.js';
import { details } from './details.js';
import { quality } from './quality.js';
import { untried } from './untried.js';

export const GENERAL: readonly Measure[] = [untried, details, quality];

/** An attack's own measures, then those of every attack. */
export const measuresOf = ({ measures = [] }: Pick<EvasionPlugin, 'measures'>): readonly Measure[] => [
  ...measures,
  ...GENERAL,
];
