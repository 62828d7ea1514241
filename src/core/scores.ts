/** @file How much a victim's scores tell: a search that follows them needs to see them move. */

import { z } from 'zod';

export const coarsenessSchema = z.enum(['labels', 'rounded']);

/** `labels`: every score is 0 or 1. `rounded`: every score is a whole number of hundredths. */
export type Coarseness = z.output<typeof coarsenessSchema>;

/** Scores closer than this are the same: what results.jsonl writes down. */
const SCORE_TOLERANCE = 1e-6;
/** Fewer answers may be alike, or round, by chance. */
const MIN_ANSWERS = 10;

/** Is every score of these answers 0 or 1? */
export const isHardLabel = (row: Float32Array | readonly number[]): boolean =>
  Array.from(row).every((score) => Math.min(score, 1 - score) < SCORE_TOLERANCE);

// A float32 of a hundredth is off by less than 3e-8.
const isRound = (row: Float32Array): boolean =>
  row.every((score) => Math.abs(score - Math.round(score * 100) / 100) < 1e-7);

/** Folds answers, in whatever order. */
export function scoreFold() {
  let n = 0;
  let labels = true;
  let round = true;
  let least: number[] = [];
  let most: number[] = [];
  return {
    add(row: Float32Array): void {
      n++;
      labels &&= isHardLabel(row);
      round &&= isRound(row);
      least = Array.from(row, (score, at) => Math.min(score, least[at] ?? score));
      most = Array.from(row, (score, at) => Math.max(score, most[at] ?? score));
    },
    /** Are the scores of all texts the same? */
    get constant(): boolean {
      return n >= MIN_ANSWERS && most.every((score, at) => score - (least[at] as number) < SCORE_TOLERANCE);
    },
    get coarseness(): Coarseness | undefined {
      if (n < MIN_ANSWERS || this.constant) return undefined;
      return labels ? 'labels' : round ? 'rounded' : undefined;
    },
  };
}

/** What a reader is told of coarse scores. */
export const COARSENESS_WARNINGS: Readonly<Record<Coarseness, string>> = {
  labels:
    'the victim tells labels without scores (all are 0 or 1): attacks that follow scores have nothing to go by, and calibration says nothing',
  rounded:
    'the scores of the victim come in steps of 0.01 or more: attacks that follow scores are half blind, and may find less than there is',
};
