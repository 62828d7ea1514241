/** @file The clean pass of a victim that gives each text one label. */
import type { Decision, Truth } from '../../core/decision.js';
import { NO_LABEL } from '../../core/prediction.js';
import { sum, wilson } from '../../core/statistics/stats.js';
import { classScores, ratio } from '../../results/clean/class-scores.js';
import { CLEAN_MEASURES, type CleanMetrics, type DetectionMetrics } from '../../results/clean/clean-metrics.js';
import { Confusion, classCounts } from '../../results/clean/confusion.js';
import { degeneracy } from '../../results/clean/degenerate.js';
import { coarsenessOf, scoreFold } from '../../results/clean/scores.js';
import type { CleanFold } from '../task.js';

/** Figures of a detector besides those of its classes. */
interface Detection {
  add(truth: Truth, row: ArrayLike<number>): void;
  metrics(): DetectionMetrics;
}

/**
 * Macro figures are means over the classes that occur or were predicted, as in scikit-learn; `perClass` and `confusion` contain all classes.
 * Micro F1 equals the accuracy.
 */
export function labelFold(
  decision: Decision,
  labels: readonly string[],
  beta: number,
  detection?: Detection,
): CleanFold {
  const confusion = new Confusion(labels.length);
  /** By true label. */
  const tied = labels.map(() => 0);
  const measures = CLEAN_MEASURES.map(({ name, fold }) => ({ name, fold: fold(decision) }));
  let [n, right] = [0, 0];
  const scores = scoreFold();
  return {
    add(example: Truth, probabilities: Float32Array): void {
      const { label } = example;
      scores.add(probabilities);
      const to = decision.label(probabilities);
      const [one = to] = decision.tied(probabilities);
      const confidence = decision.confidence(probabilities, { label: one });
      const plausible = confidence >= 0 && confidence <= 1 + 1e-5;
      if (!plausible || !(label in labels) || probabilities.length !== labels.length)
        throw new RangeError(
          `expected a label below ${labels.length} and as many probabilities, got ${label} and [${probabilities}]`,
        );
      if (to === NO_LABEL) tied[label]! += 1;
      else confusion.add(label, to);
      detection?.add(example, probabilities);
      for (const { fold } of measures) fold.add(example, probabilities);
      right += Number(decision.right(probabilities, example));
      n += 1;
    },

    metrics(): CleanMetrics {
      const answered = classCounts(confusion.cells(), labels.length);
      const counts = answered.map((each, at) => ({ ...each, support: each.support + tied[at]! }));
      const accuracy = wilson(right, n);
      const { macroF1, fBeta, perClass } = classScores(labels, counts, beta);
      const judged = { accuracy, perClass, ...confusion.record(), ...detection?.metrics() };
      const degenerate = degeneracy(judged, scores.constant);
      return {
        accuracy,
        macroF1,
        microF1: ratio(right, n),
        fBeta,
        perClass,
        ...confusion.record(),
        ...(sum(tied) > 0 && { tied: sum(tied) }),
        ...(degenerate.length > 0 && { degenerate }),
        ...coarsenessOf(scores),
        ...detection?.metrics(),
        ...Object.fromEntries(measures.map(({ name, fold }) => [name, fold.value()])),
      };
    },
  };
}
