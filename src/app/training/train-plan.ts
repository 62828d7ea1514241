/** @file From the settings of a training to the options of a training. */
import type { Values } from '../../config/setting.js';
import type { trainSettings } from '../../config/settings/index.js';
import { UsageError } from '../../core/errors.js';
import { readWordVectors } from '../../language/word-vectors.js';
import type { LoadOptions } from '../../model/load.js';
import { type ExistingStart, type FreshStart, readsCharacters, type TrainingOptions } from '../../train/index.js';
import { adversarialOptions } from './adversarial.js';

export type TrainChoice = Values<typeof trainSettings>;

/** How to load a model of such a task. */
export const loadedFor = (thresholds: readonly number[] | undefined, load: LoadOptions): LoadOptions =>
  thresholds === undefined ? load : { ...load, decision: 'multi-label' };

/** `load` says how to load the model to go on with. */
export function startOf(choice: TrainChoice, load: LoadOptions): FreshStart | ExistingStart {
  const { vectors, arch = 'distilbert' } = choice;
  if (choice.model !== undefined) return { kind: 'existing', model: choice.model, part: choice.part, load };
  return {
    kind: 'fresh',
    architecture: arch,
    size: {
      vocabulary: choice.vocabulary,
      maxTokens: choice.maxTokens ?? (readsCharacters(arch) ? 512 : 128),
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
    ...(vectors !== undefined && { vectors: (words: ReadonlySet<string>) => readWordVectors(vectors, words) }),
  };
}

/** `thresholds`: of texts with any number of labels. Throws UsageError for settings that do not go together. */
export function optionsOf(choice: TrainChoice, thresholds?: readonly number[]): TrainingOptions {
  const adversarial = adversarialOptions(choice);
  const labelSets = thresholds !== undefined || choice.task === 'multi-label';
  if (labelSets) checkLabelSets(choice);
  if (adversarial && choice.metric === 'loss') throw lossUnderAttack();
  return {
    seed: choice.seed,
    ...(thresholds && { thresholds }),
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
    metric: choice.metric ?? (labelSets ? 'microF1' : 'accuracy'),
    patience: choice.patience,
  };
}

/** Throws UsageError for settings that take one label a text for granted. */
function checkLabelSets({ classWeights, consistency, augmentQueries }: TrainChoice): void {
  const unfit = classWeights
    ? '--class-weights'
    : consistency > 0
      ? '--consistency'
      : augmentQueries > 0
        ? '--augment-queries'
        : '';
  if (unfit === '') return;
  throw new UsageError(`${unfit}: expected one label a text, got any number (--task multi-label)`, {
    code: 'MULTI_LABEL_UNSUPPORTED',
    hint: `Leave ${unfit} out.`,
  });
}

const lossUnderAttack = (): UsageError =>
  new UsageError('--metric: expected accuracy, macroF1 or microF1 with --adversarial, got loss', {
    code: 'USAGE',
    hint: 'Adversarial training chooses by a mean with the accuracy on perturbed texts, and a loss has no share in one.',
  });
