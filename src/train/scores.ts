/** @file How well a model does on the validation set, to choose by. */
import type { LabelSetDecision } from '../core/decision.js';
import { must } from '../core/errors.js';
import { sum } from '../core/statistics/stats.js';
import { decisionOf } from '../tasks/decide.js';

export interface ValidationScores {
  /** For label sets, subset accuracy; absent for regression. */
  readonly accuracy?: number;
  /** Mean over the labels of F1 = 2 tp / (2 tp + fp + fn); a label neither present nor predicted counts as 0, of label sets not at all. */
  readonly macroF1?: number;
  /** Over the labels of all texts; only of label sets: where a text has one label it is the accuracy. */
  readonly microF1?: number | undefined;
  /** F1 of entities whose type, start and end agree, micro-averaged; only for tags, whose `accuracy` counts words. */
  readonly entityF1?: number;
  /** Pearson's r of answers and true numbers, 0 where either are all alike; only where a text has a number. */
  readonly pearson?: number;
}

/** Scores that may select the weights to keep. */
export type ScoreName = keyof ValidationScores | 'loss';

/** The score of that name, larger is better: the loss is negated. */
export function scoreOf(validation: ValidationScores & { readonly loss: number }, name: ScoreName): number {
  if (name === 'loss') return -validation.loss;
  return validation[name] ?? validation.accuracy ?? validation.pearson ?? Number.NaN;
}

/** Which labels a row of probabilities holds. */
export const labellerOf = (thresholds: readonly number[]): LabelSetDecision =>
  decisionOf({ kind: 'multi-label', at: thresholds }, thresholds.map(String)) as LabelSetDecision;

/** Scores of predicted against true labels; NO_LABEL is a wrong prediction. */
export function scores(
  predicted: ArrayLike<number>,
  labels: ArrayLike<number>,
  labelCount: number,
): Required<Pick<ValidationScores, 'accuracy' | 'macroF1'>> {
  const right = new Array<number>(labelCount).fill(0);
  const counts = new Array<number>(labelCount).fill(0);
  const answered = new Array<number>(labelCount).fill(0);
  for (let at = 0; at < labels.length; at++) {
    const label = labels[at]!;
    const answer = predicted[at]!;
    counts[label] = counts[label]! + 1;
    // A tie answers none.
    if (answer >= 0) answered[answer] = answered[answer]! + 1;
    if (answer === label) right[label] = right[label]! + 1;
  }
  const f1 = right.map((both, at) => (both === 0 ? 0 : (2 * both) / (must(counts[at]) + must(answered[at]))));
  return { accuracy: sum(right) / labels.length, macroF1: sum(f1) / labelCount };
}
