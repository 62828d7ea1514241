/** @file The course of a training: one point per measurement. No wall times, so that equal runs write equal files. */
import { z } from 'zod';
import type { ValidationScores } from './scores.js';

export interface Measurement {
  /** Optimiser steps taken. */
  readonly step: number;
  /** Epochs completed, in fractions. */
  readonly epoch: number;
  /** Mean training loss since the last point. */
  readonly loss: number;
  readonly validation: ValidationScores & { readonly loss: number };
  /** In adversarial training: accuracy on the validation texts as its methods perturb them, mean over the methods. */
  readonly underAttack?: number | undefined;
  /** The best so far, so these weights were kept: by the chosen metric, in adversarial training by alpha metric + (1 - alpha) underAttack. */
  readonly best: boolean;
}

export interface History {
  readonly points: readonly Measurement[];
  /** Optimiser steps taken; after a divergence, the next step gave a loss that is not a number. */
  readonly steps: number;
  /** Why it ended; `running` in the file of a training that has not, or was killed; `worse than chance`: it learnt away from its labels. */
  readonly end: (typeof ENDS)[number];
}

const ENDS = ['running', 'finished', 'stopped early', 'diverged', 'worse than chance', 'interrupted'] as const;

/** A point as it is read back: NaN became null. */
const pointSchema = z.looseObject({
  step: z.number().int().min(0),
  epoch: z.number().min(0),
  loss: z.number().nullable(),
  validation: z.looseObject({ loss: z.number().nullable() }),
  best: z.boolean(),
}) as z.ZodType<Measurement>;

export const historySchema = z.object({
  points: z.array(pointSchema),
  steps: z.number().int().min(0),
  end: z.enum(ENDS),
}) as z.ZodType<History>;
