/** @file How models are trained further here: plainly. */
import type { TrainingOptions } from '../train/index.js';

/** AdamW with a short warm-up and a linear decay, as BERT is fine-tuned; seed, epochs and rate are the caller's. */
export const PLAIN_TRAINING: Omit<TrainingOptions, 'seed' | 'epochs' | 'rate'> = {
  batchSize: 32,
  warmup: 0.06,
  weightDecay: 0.01,
  clip: 1,
  smoothing: 0,
  tokenDropout: 0,
  evaluateEvery: 0,
  checkpointEvery: 0,
  metric: 'accuracy',
  patience: 0,
};
