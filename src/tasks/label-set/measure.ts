/** @file What is measured of a model of label sets. */
import type { LabelSetDecision } from '../../core/decision.js';
import { degeneracy } from '../../results/clean/degenerate.js';
import { labelSetFold } from '../../results/clean/label-set-metrics.js';
import { coarsenessOf, scoreFold } from '../../results/clean/scores.js';
import { otherTexts } from '../../results/measures/detection.js';
import { labelChanges } from '../../results/measures/label-changes.js';
import { measureLists } from '../measure-lists.js';
import type { CleanFold, Measuring } from '../task.js';

function clean(decision: LabelSetDecision, labels: readonly string[], beta: number): CleanFold {
  const sets = labelSetFold(decision, labels);
  const scores = scoreFold();
  return {
    add(truth, row) {
      scores.add(row);
      sets.add(truth, row);
    },
    metrics() {
      const figures = sets.metrics(beta);
      const degenerate = degeneracy(figures, scores.constant);
      return { ...figures, ...(degenerate.length > 0 && { degenerate }), ...coarsenessOf(scores) };
    },
  };
}

const lists = measureLists();

export const measuring: Measuring<LabelSetDecision> = {
  clean,
  measures: (_, labels) => lists(labels, () => [otherTexts, labelChanges(labels)]),
  manyLabels: true,
};
