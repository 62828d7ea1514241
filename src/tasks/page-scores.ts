/** @file Scores as a page shows them. */
import type { Decision } from '../core/decision.js';
import { defined } from '../core/defined.js';
import { must } from '../core/errors.js';
import { scoreTexts } from '../core/score-text.js';
import type { PageAnswer } from './task.js';

/** A score and the threshold beside it. */
export function besideThreshold(score: number, at: number): readonly [score: string, threshold: string] {
  const { scores, threshold } = scoreTexts([score], { threshold: at, least: 3 });
  return [must(scores[0]), threshold];
}

/** The score of each label; `thresholdOf`: from which on the label counts, if its own score decides. */
export function labelScores(
  decision: Decision,
  labels: readonly string[],
  row: Float32Array,
  thresholdOf: (name: string, label: number) => number | undefined = () => undefined,
): PageAnswer['scores'] {
  const decided = decision.labels(row);
  return labels.map((label, at) => {
    const threshold = thresholdOf(label, at);
    return { label, score: must(row[at]), decided: decided.includes(at), ...defined({ threshold }) };
  });
}

/** These labels by name. */
export const labelNames = (labels: readonly string[], which: readonly number[], between: string): string =>
  which.map((at) => labels[at]).join(between);
