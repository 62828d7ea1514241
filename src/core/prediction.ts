/**
 * @file Which label a row of scores predicts, and how far a score must lead before it counts. Every other place asks here, so that the
 * clean metrics, the attacks and the reports agree, and so that the order of the labels decides nothing.
 */

/**
 * Scores no further apart than this are tied: the precision of `results.jsonl`, about ten times the rounding error of a softmax in single
 * precision.
 */
export const TIE_MARGIN = 1e-6;

/** What `predictedLabel` answers where no label leads. */
export const NO_LABEL = -1;

/**
 * The label whose score exceeds every other one by more than TIE_MARGIN. NO_LABEL where labels tie for the highest score, and of a row that
 * is empty or holds NaN.
 */
export function predictedLabel(row: ArrayLike<number>): number {
  let label = NO_LABEL;
  let highest = Number.NEGATIVE_INFINITY;
  let next = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < row.length; at++) {
    const score = row[at] as number;
    if (score > highest) {
      next = highest;
      highest = score;
      label = at;
    } else if (score > next) next = score;
    else if (Number.isNaN(score)) return NO_LABEL;
  }
  return highest - next > TIE_MARGIN ? label : NO_LABEL;
}

/** The labels that share the highest score, ascending; none where one label leads. */
export function tiedLabels(row: ArrayLike<number>): number[] {
  const scores = Array.from(row);
  const highest = Math.max(...scores);
  const top = scores.flatMap((score, label) => (highest - score <= TIE_MARGIN ? [label] : []));
  return top.length > 1 ? top : [];
}

/** The highest score of the other labels minus that of `label`: above 0 where another label leads, NaN where a score is NaN. */
export function leadOverLabel(row: ArrayLike<number>, label: number): number {
  let other = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < row.length; at++) {
    const score = row[at] as number;
    if (at === label) continue;
    if (score > other) other = score;
    else if (Number.isNaN(score)) return score;
  }
  return other - (row[label] as number);
}

/**
 * Does a lead count as a change of the prediction? Only one above the victim's own noise does: `noise` is the largest difference between two
 * of its answers to one text, 0 where that was not measured; TIE_MARGIN is the least.
 */
export const exceedsNoise = (lead: number, noise: number): boolean => lead > Math.max(TIE_MARGIN, noise);

/** Is a lead too small to tell which side is ahead? */
export const withinNoise = (lead: number, noise: number): boolean => Math.abs(lead) <= Math.max(TIE_MARGIN, noise);

/**
 * Indices of labels in the order of their names. Where one of several labels with equal scores has to be taken, it is the first of these, since
 * the names do not depend on the order of the columns.
 */
export const byName = (labels: readonly string[]): number[] =>
  labels.map((_, label) => label).sort((a, b) => ((labels[a] as string) < (labels[b] as string) ? -1 : 1));

/** The label with the highest score; the first by name among equals: for whoever has to take one, such as a server that answers one word. */
export const foremostLabel = (row: ArrayLike<number>, labels: readonly string[]): number =>
  highestOf(row, byName(labels));

/** The first of `candidates` with the highest score. */
export function highestOf(row: ArrayLike<number>, candidates: readonly number[]): number {
  let best = candidates[0] as number;
  for (const label of candidates) if ((row[label] as number) > (row[best] as number)) best = label;
  return best;
}
