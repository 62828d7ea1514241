/** @file The options of a training. */
import type { AdversarialOptions } from './adversarial/options.js';
import type { NumberScale } from './architectures/architecture-builder.js';
import type { LossOptions } from './loss.js';
import type { Decay } from './schedule.js';
import type { ScoreName } from './scores.js';

export interface TrainingOptions extends LossOptions {
  readonly seed: number;
  /** Minimum score for each label to be predicted, by label index, if a text may have any number of labels. */
  readonly thresholds?: readonly number[] | undefined;
  /** Mean and standard deviation of the numbers to learn, if a text has a number. */
  readonly numbers?: NumberScale | undefined;
  /** Labels of the tokens in column order, if a text has tags: `tagScheme` reads them. */
  readonly tags?: readonly string[] | undefined;
  /** Passes over the training data. */
  readonly epochs: number;
  /** Texts per forward and backward pass. */
  readonly batchSize: number;
  /** Batches whose gradients are summed into one optimiser step. */
  readonly accumulate: number;
  /** The highest learning rate. */
  readonly rate: number;
  /** Share of all steps, in [0, 1), over which the rate rises to it. */
  readonly warmup: number;
  readonly decay: Decay;
  readonly beta1: number;
  readonly beta2: number;
  readonly weightDecay: number;
  /** Largest norm of a step's gradient; 0 for no limit. */
  readonly clip: number;
  readonly smoothing: number;
  readonly classWeights?: 'balanced' | readonly number[] | undefined;
  /** Share of tokens replaced by [UNK] in training. */
  readonly tokenDropout: number;
  /** Share of matches skipped when a word is split into pieces, in training. */
  readonly pieceDropout: number;
  /** Share of a teacher's answer in the target. */
  readonly teacherShare: number;
  /** Absent for plain training. */
  readonly adversarial?: AdversarialOptions | undefined;
  /** Optimiser steps between measurements on the validation set; 0 for one per epoch. */
  readonly evaluateEvery: number;
  /** Optimiser steps between checkpoints; 0 for one per measurement. */
  readonly checkpointEvery: number;
  /** The score that chooses the weights to keep. */
  readonly metric: ScoreName;
  /** Measurements without a better score after which the training stops; 0 to train to the end. */
  readonly patience: number;
}
