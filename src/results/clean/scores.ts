/** @file Resolution of a victim's scores: a search that follows scores needs to see them move. */
import { z } from 'zod';

export const coarsenessSchema = z.enum(['labels', 'rounded']);

/** `labels`: every score is 0 or 1, or a label has two scores only. `rounded`: every score is a whole number of hundredths. */
export type Coarseness = z.output<typeof coarsenessSchema>;

/** Scores closer than this are equal: the precision of results.jsonl. */
const SCORE_TOLERANCE = 1e-6;
/** Scores closer than this say the same: a sure model answers 1e-6 and 2e-6. */
const SAME_LEVEL = 1e-5;
/** Fewer answers may agree, or be round, by chance. */
const MIN_ANSWERS = 10;

/** Whether every score of these answers is 0 or 1. */
export const isHardLabel = (row: Float32Array | readonly number[]): boolean =>
  Array.from(row).every((score) => Math.min(score, 1 - score) < SCORE_TOLERANCE);

// A float32 of a hundredth deviates by less than 3e-8.
const isRound = (row: Float32Array): boolean =>
  row.every((score) => Math.abs(score - Math.round(score * 100) / 100) < 1e-7);

/** Folds answers, in any order. */
export function scoreFold() {
  let n = 0;
  let hard = true;
  let round = true;
  let saturated = true;
  /** Label -> its scores that differ, up to three. */
  const levels: number[][] = [];
  let least: number[] = [];
  let most: number[] = [];
  return {
    add(row: Float32Array): void {
      n++;
      hard &&= isHardLabel(row);
      for (const [at, score] of row.entries()) {
        const known = levels[at] ?? [];
        if (known.length < 3 && known.every((level) => Math.abs(level - score) >= SAME_LEVEL))
          levels[at] = [...known, score];
      }
      round &&= isRound(row);
      saturated &&= row.every((score) => Math.min(score, 1 - score) < SAME_LEVEL);
      least = Array.from(row, (score, at) => Math.min(score, least[at] ?? score));
      most = Array.from(row, (score, at) => Math.max(score, most[at] ?? score));
    },
    /** Whether the scores of all texts are the same. */
    get constant(): boolean {
      return n >= MIN_ANSWERS && most.every((score, at) => score - least[at]! < SCORE_TOLERANCE);
    },
    /** Whether the scores so far may say no more than the labels. */
    get mayBeLabels(): boolean {
      return hard || ((round || saturated) && levels.every(({ length }) => length < 3));
    },
    /** Whether the scores say no more than the labels, given that there were several labels. */
    get labelsOnly(): boolean {
      return hard || (n >= MIN_ANSWERS && this.mayBeLabels);
    },
    get coarseness(): Coarseness | undefined {
      if (n < MIN_ANSWERS || this.constant) return undefined;
      return this.labelsOnly ? 'labels' : round ? 'rounded' : undefined;
    },
  };
}

/** Warnings about coarse scores. */
export const COARSENESS_WARNINGS: Readonly<Record<Coarseness, string>> = {
  labels:
    'the scores of the victim say no more than its labels: attacks search by labels alone, and calibration is meaningless',
  rounded:
    'the scores of the victim come in steps of 0.01 or more: attacks that follow scores get little guidance and may find too few adversarial texts',
};

/** The resolution as a property of metrics, if it is coarse. */
export const coarsenessOf = ({ coarseness }: ReturnType<typeof scoreFold>) => coarseness && { scores: coarseness };
