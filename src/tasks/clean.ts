/** @file Folds the victim's answers to unedited texts. Sums are of integers, so the order of the texts changes no bit. */
import { type Decision, mostProbable, type Truth } from '../core/decision.js';
import type { CleanMetrics } from '../results/clean/clean-metrics.js';
import { taskOf } from './index.js';

/** The figures are those of the decision's task. */
export function cleanFold(labels: readonly string[], beta = 0.5, decision: Decision = mostProbable) {
  const fold = taskOf(decision).measuring.clean(decision, labels, beta);
  return {
    /** Adds one example's true answer and the victim's. Throws RangeError if either does not match these labels. */
    add(truth: number | Truth, probabilities: Float32Array): void {
      fold.add(typeof truth === 'number' ? { label: truth } : truth, probabilities);
    },
    metrics: (): CleanMetrics => fold.metrics(),
  };
}
