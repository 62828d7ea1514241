/** @file From the settings of a training to the options of a training. */
import { UsageError } from '../../core/errors.js';
import { readWordVectors } from '../../language/word-vectors.js';
import type { LoadOptions } from '../../model/load.js';
import {
  type AdversarialOptions,
  type ExistingStart,
  type FreshStart,
  parseMethod,
  readsCharacters,
  type TrainingOptions,
} from '../../train/index.js';
import { checkNumberSettings, checkTagSettings, chosenKind, type LearntTask, type TrainChoice } from './learnt-task.js';

export type { TrainChoice } from './learnt-task.js';

/** How to load a model of such a task. */
export const loadedFor = ({ kind }: Pick<LearntTask, 'kind'>, load: LoadOptions): LoadOptions =>
  kind === undefined ? load : { ...load, decision: kind };

/** `load`: how to load a model that is trained further. */
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
      window: choice.window,
      feedForward: choice.feedForward ?? 4 * choice.dim,
    },
    dropout: { embedding: choice.embeddingDropout, hidden: choice.dropout },
    half: choice.storage === 'fp16',
    vectors: vectors === undefined ? undefined : (words) => readWordVectors(vectors, words),
  };
}

/** Steps between the checkpoints that an interrupted training resumes from. */
const CHECKPOINT_EVERY = 200;

/** Without a task those that can be checked before data are read. Throws UsageError for settings that do not go together. */
export function optionsOf(
  choice: TrainChoice,
  { kind, thresholds, numbers, tags }: Omit<LearntTask, 'described'> = { kind: chosenKind(choice) },
): TrainingOptions {
  const methods = (choice.adversarial ?? []).map(parseMethod);
  const adversarial = methods.length === 0 ? undefined : { alpha: choice.alpha, methods };
  checkTask(choice, kind, adversarial);
  return {
    seed: choice.seed,
    ...{ thresholds, numbers, tags, adversarial },
    epochs: choice.epochs,
    batchSize: choice.batchSize,
    rate: choice.lr ?? (choice.model === undefined ? 3e-4 : 3e-5),
    warmup: choice.warmup,
    weightDecay: choice.weightDecay,
    clip: choice.clip,
    smoothing: choice.labelSmoothing,
    classWeights: choice.classWeights,
    tokenDropout: choice.tokenDropout,
    evaluateEvery: choice.evaluateEvery,
    checkpointEvery: CHECKPOINT_EVERY,
    metric: choice.metric ?? defaultMetric(kind),
    patience: choice.patience,
  };
}

function defaultMetric(kind: LearntTask['kind']): TrainingOptions['metric'] {
  if (kind === 'regression') return 'loss';
  if (kind === 'tags') return 'entityF1';
  return kind === 'multi-label' ? 'microF1' : 'accuracy';
}

/** Throws UsageError for settings that do not fit the task. */
function checkTask(choice: TrainChoice, kind: LearntTask['kind'], adversarial?: AdversarialOptions): void {
  if (kind === 'multi-label' && choice.classWeights !== undefined) throw weightsOfLabelSets();
  if (kind === 'regression') checkNumberSettings(choice);
  if (kind === 'tags') checkTagSettings(choice);
  if (adversarial && choice.metric === 'loss') throw lossUnderAttack();
}

const weightsOfLabelSets = (): UsageError =>
  new UsageError('--loss class-weights: expected one label a text, got any number (--task multi-label)', {
    code: 'MULTI_LABEL_UNSUPPORTED',
    hint: 'Leave --loss class-weights out.',
  });

const lossUnderAttack = (): UsageError =>
  new UsageError('--metric: expected accuracy, macroF1, microF1 or entityF1 with --adversarial, got loss', {
    code: 'USAGE',
    hint: 'Adversarial training chooses by a mean with the accuracy on perturbed texts, and a loss has no share in one.',
  });
