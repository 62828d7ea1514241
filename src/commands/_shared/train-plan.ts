/** @file From the flags of `robust train` to the options of a training. */
import type { Interfaces } from '@oclif/core';
import type { LoadOptions } from '../../model/load.js';
import type { ExistingStart, FreshStart, TrainOptions } from '../../train/index.js';
import { adversarialOptions } from './adversarial.js';
import type { trainFlags } from './train-flags.js';

export type TrainFlags = Interfaces.InferredFlags<typeof trainFlags>;

/** `load` says how to load the model to go on with. */
export function startOf(flags: TrainFlags, load: LoadOptions): FreshStart | ExistingStart {
  if (flags.model !== undefined) return { kind: 'existing', model: flags.model, part: flags.part, load };
  return {
    kind: 'fresh',
    architecture: flags.arch ?? 'distilbert',
    size: {
      vocabulary: flags.vocabulary,
      maxTokens: flags['max-tokens'],
      dim: flags.dim,
      layers: flags.layers,
      heads: flags.heads,
      feedForward: flags['feed-forward'] ?? 4 * flags.dim,
    },
    dropout: {
      embedding: flags['embedding-dropout'],
      hidden: flags.dropout,
      attention: flags['attention-dropout'],
    },
    half: flags.storage === 'fp16',
  };
}

export function optionsOf(flags: TrainFlags): TrainOptions {
  const adversarial = adversarialOptions(flags);
  return {
    seed: flags.seed,
    epochs: flags.epochs,
    batchSize: flags['batch-size'],
    accumulate: flags.accumulate,
    rate: flags.lr ?? (flags.model === undefined ? 3e-4 : 3e-5),
    warmup: flags.warmup,
    decay: flags.decay,
    beta1: 0.9,
    beta2: flags.beta2,
    weightDecay: flags['weight-decay'],
    clip: flags.clip,
    gamma: flags['focal-gamma'],
    consistency: flags.consistency,
    smoothing: flags['label-smoothing'],
    ...(flags['class-weights'] && { classWeights: flags['class-weights'] }),
    average: flags.average,
    tokenDropout: flags['token-dropout'],
    pieceDropout: flags['piece-dropout'],
    teacherShare: flags.teacher ? flags['teacher-share'] : 0,
    ...(adversarial && { adversarial }),
    evaluateEvery: flags['evaluate-every'],
    checkpointEvery: flags['checkpoint-every'],
    metric: flags.metric,
    patience: flags.patience,
  };
}
