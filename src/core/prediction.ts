/**
 * @file Determines the predicted label of a row of scores, and by how much a score must lead. All other code uses these functions, so clean
 * metrics, attacks and reports agree, and the order of the labels decides nothing.
 */
import { must } from './errors.js';

/**
 * Scores that differ by no more than this are tied. It is the precision of `results.jsonl`, about ten times the rounding error of a softmax
 * in single precision.
 */
export const TIE_MARGIN = 1e-6;

/** Result of `predictedLabel` if no label leads. */
export const NO_LABEL = -1;

/**
 * The label whose score exceeds every other one by more than TIE_MARGIN. NO_LABEL if labels tie for the highest score, and for a row that
 * is empty or contains NaN.
 */
export function predictedLabel(row: ArrayLike<number>): number {
  let label = NO_LABEL;
  let highest = Number.NEGATIVE_INFINITY;
  let next = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < row.length; at++) {
    const score = row[at]!;
    if (score > highest) {
      next = highest;
      highest = score;
      label = at;
    } else if (score > next) next = score;
    else if (Number.isNaN(score)) return NO_LABEL;
  }
  return highest - next > TIE_MARGIN ? label : NO_LABEL;
}

/** Labels that share the highest score, ascending; none if one label leads. */
export function tiedLabels(row: ArrayLike<number>): number[] {
  const scores = Array.from(row);
  const highest = Math.max(...scores);
  const top = scores.flatMap((score, label) => (highest - score <= TIE_MARGIN ? [label] : []));
  return top.length > 1 ? top : [];
}

/** The highest score of the other labels minus that of `label`: positive if another label leads, NaN if a score is NaN. */
export function leadOverLabel(row: ArrayLike<number>, label: number): number {
  let other = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < row.length; at++) {
    const score = row[at]!;
    if (at === label) continue;
    if (score > other) other = score;
    else if (Number.isNaN(score)) return score;
  }
  return other - row[label]!;
}

/**
 * Does a lead count as a changed prediction? It must exceed the victim's noise, the largest difference between two of its answers to one
 * text (0 if not measured), and TIE_MARGIN.
 */
export const exceedsNoise = (lead: number, noise: number): boolean => lead > Math.max(TIE_MARGIN, noise);

/** Whether a lead is too small to decide which side is ahead. */
export const withinNoise = (lead: number, noise: number): boolean => Math.abs(lead) <= Math.max(TIE_MARGIN, noise);

/**
 * Indices of labels sorted by name. To choose among labels with equal scores, the first of these is taken, because names do not depend on
 * the order of the columns.
 */
export const byName = (labels: readonly string[]): number[] =>
  labels.map((_, label) => label).sort((a, b) => (must(labels[a]) < must(labels[b]) ? -1 : 1));

/** The label with the highest score, the first by name among equals, for callers that need exactly one, such as a server. */
export const foremostLabel = (row: ArrayLike<number>, labels: readonly string[]): number =>
  highestOf(row, byName(labels));

/** The first of `candidates` with the highest score. */
export function highestOf(row: ArrayLike<number>, candidates: readonly number[]): number {
  let best = must(candidates[0]);
  for (const label of candidates) if (row[label]! > row[best]!) best = label;
  return best;
}
