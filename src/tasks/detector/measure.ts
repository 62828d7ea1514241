/** @file What is measured of a detector. */
import type { ThresholdDecision } from '../../core/decision.js';
import { detectionFold } from '../../results/clean/detection-metrics.js';
import { detectorMeasures } from '../../results/measures/detection.js';
import { measureLists } from '../measure-lists.js';
import { labelFold } from '../one-label/clean.js';
import type { Measuring } from '../task.js';
import { deciding } from './decide.js';

const lists = measureLists();

export const measuring: Measuring<ThresholdDecision> = {
  clean: (decision, labels, beta) => labelFold(decision, labels, beta, detectionFold(decision)),
  measures: (decision, labels) => lists([decision.rule.positive, labels], () => detectorMeasures(decision)),
  // A detector with inverted scores would be a good one after inversion.
  mismatch(model, rule, labels, { auroc }) {
    if (auroc?.high == null || auroc.high >= 0.5) return undefined;
    return {
      message: `${model} gives ${deciding.text(rule)} higher scores where the data say otherwise (area under the ROC curve ${auroc.value?.toFixed(2)})`,
      hint: `Data and model seem to mean opposite things: give other labels by --positive (there are ${labels.join(', ')}), or a --label-map, or --force to go on as it is.`,
    };
  },
};
