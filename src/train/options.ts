/** @file The options of a training. */
import type { AdversarialOptions } from './adversarial/options.js';
import type { NumberScale } from './architectures/architecture-builder.js';
import type { ScoreName } from './scores.js';
import type { ClassWeights } from './targets.js';

export interface TrainingOptions {
  readonly seed: number;
  /** Minimum score for each label to be predicted, by label index, if a text may have any number of labels. */
  readonly thresholds?: readonly number[] | undefined;
  /** Mean and standard deviation of the numbers to learn, if a text has a number. */
  readonly numbers?: NumberScale | undefined;
  /** Labels of the tokens in column order, if a text has tags: `tagScheme` reads them. */
  readonly tags?: readonly string[] | undefined;
  /** Passes over the training data. */
  readonly epochs: number;
  /** Texts of an optimiser step. */
  readonly batchSize: number;
  /** The highest learning rate. */
  readonly rate: number;
  /** Share of all steps, in [0, 1), over which the rate rises to it. */
  readonly warmup: number;
  readonly weightDecay: number;
  /** Largest norm of a step's gradient; 0 for no limit. */
  readonly clip: number;
  readonly smoothing: number;
  readonly classWeights?: ClassWeights;
  /** Share of tokens replaced by [UNK] in training. */
  readonly tokenDropout: number;
  /** Absent for plain training. */
  readonly adversarial?: AdversarialOptions | undefined;
  /** Optimiser steps between measurements on the validation set; 0 for one per epoch. */
  readonly evaluateEvery: number;
  /** Optimiser steps between checkpoints, besides one per measurement; 0 for no others. */
  readonly checkpointEvery: number;
  /** The score that chooses the weights to keep. */
  readonly metric: ScoreName;
  /** Measurements without a better score after which the training stops; 0 to train to the end. */
  readonly patience: number;
}
