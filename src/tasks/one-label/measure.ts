/** @file What is measured of a model that gives each text one label. */
import type { Decision } from '../../core/decision.js';
import { otherTexts } from '../../results/measures/detection.js';
import type { Measure } from '../../results/measures/measure.js';
import type { Measuring } from '../task.js';
import { labelFold } from './clean.js';

const MEASURES: readonly Measure[] = [otherTexts];

export const measuring: Measuring<Decision> = { clean: labelFold, measures: () => MEASURES };
