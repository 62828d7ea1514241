/** @file How models are trained further here: plainly. */
import type { TrainingOptions } from '../train/index.js';

/** AdamW with a short warm-up and a linear decay, as BERT is fine-tuned; seed, epochs and rate are the caller's. */
export const PLAIN_TRAINING: Omit<TrainingOptions, 'seed' | 'epochs' | 'rate'> = {
  batchSize: 32,
  accumulate: 1,
  warmup: 0.06,
  decay: 'linear',
  beta1: 0.9,
  beta2: 0.999,
  weightDecay: 0.01,
  clip: 1,
  consistency: 0,
  smoothing: 0,
  tokenDropout: 0,
  pieceDropout: 0,
  teacherShare: 0,
  evaluateEvery: 0,
  checkpointEvery: 0,
  metric: 'accuracy',
  patience: 0,
};
