/** @file From the settings of a training to the options of a training. */
import type { Values } from '../../config/setting.js';
import type { trainSettings } from '../../config/settings/index.js';
import type { LoadOptions } from '../../model/load.js';
import type { ExistingStart, FreshStart, TrainingOptions } from '../../train/index.js';
import { adversarialOptions } from './adversarial.js';

export type TrainChoice = Values<typeof trainSettings>;

/** `load` says how to load the model to go on with. */
export function startOf(choice: TrainChoice, load: LoadOptions): FreshStart | ExistingStart {
  if (choice.model !== undefined) return { kind: 'existing', model: choice.model, part: choice.part, load };
  return {
    kind: 'fresh',
    architecture: choice.arch ?? 'distilbert',
    size: {
      vocabulary: choice.vocabulary,
      maxTokens: choice.maxTokens,
      dim: choice.dim,
      layers: choice.layers,
      heads: choice.heads,
      feedForward: choice.feedForward ?? 4 * choice.dim,
    },
    dropout: {
      embedding: choice.embeddingDropout,
      hidden: choice.dropout,
      attention: choice.attentionDropout,
    },
    half: choice.storage === 'fp16',
  };
}

export function optionsOf(choice: TrainChoice): TrainingOptions {
  const adversarial = adversarialOptions(choice);
  return {
    seed: choice.seed,
    epochs: choice.epochs,
    batchSize: choice.batchSize,
    accumulate: choice.accumulate,
    rate: choice.lr ?? (choice.model === undefined ? 3e-4 : 3e-5),
    warmup: choice.warmup,
    decay: choice.decay,
    beta1: 0.9,
    beta2: choice.beta2,
    weightDecay: choice.weightDecay,
    clip: choice.clip,
    gamma: choice.focalGamma,
    consistency: choice.consistency,
    smoothing: choice.labelSmoothing,
    ...(choice.classWeights && { classWeights: choice.classWeights }),
    average: choice.average,
    tokenDropout: choice.tokenDropout,
    pieceDropout: choice.pieceDropout,
    teacherShare: choice.teacher ? choice.teacherShare : 0,
    ...(adversarial && { adversarial }),
    evaluateEvery: choice.evaluateEvery,
    checkpointEvery: choice.checkpointEvery,
    metric: choice.metric,
    patience: choice.patience,
  };
}
