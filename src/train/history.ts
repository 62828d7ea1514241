/** @file The course of a training: one point per measurement. No wall times, so that equal runs write equal files. */
import type { Scores } from './scores.js';

export interface Point {
  /** Optimiser steps taken. */
  readonly step: number;
  /** Epochs completed, in fractions. */
  readonly epoch: number;
  /** Mean training loss since the last point. */
  readonly loss: number;
  readonly validation: Scores & { readonly loss: number };
  /** In adversarial training: accuracy on the validation texts as its methods perturb them, mean over the methods. */
  readonly underAttack?: number;
  /** The best so far, so these weights were kept: by the chosen metric, in adversarial training by alpha metric + (1 - alpha) underAttack. */
  readonly best: boolean;
}

export interface History {
  readonly points: readonly Point[];
  /** Optimiser steps taken; where it diverged, the step after these gave the loss that is no number. */
  readonly steps: number;
  /** Why it ended; `running` in the file of a training that has not, or was killed. */
  readonly end: 'running' | 'finished' | 'stopped early' | 'diverged' | 'interrupted';
}
