/** @file What is measured of a model that returns a number. */
import type { NumberDecision } from '../../core/decision.js';
import { regressionFold } from '../../results/clean/regression-metrics.js';
import { otherTexts } from '../../results/measures/detection.js';
import type { Measure } from '../../results/measures/measure.js';
import { shift } from '../../results/measures/shift.js';
import type { Measuring } from '../task.js';

const MEASURES: readonly Measure[] = [otherTexts, shift];

export const measuring: Measuring<NumberDecision> = {
  clean: regressionFold,
  measures: () => MEASURES,
  unbounded: true,
  mismatch(model, _, __, { regression }) {
    const { pearson } = regression ?? {};
    if (pearson === undefined || pearson.high >= 0) return undefined;
    return {
      message: `${model} answers lower numbers where the data say higher ones (Pearson's r ${pearson.value.toFixed(2)})`,
      hint: 'Data and model seem to count in opposite directions: give other data, or --force to go on as it is.',
    };
  },
};
