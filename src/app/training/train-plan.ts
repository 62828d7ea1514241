/** @file From the settings of a training to the options of a training. */
import { UsageError } from '../../core/errors.js';
import { readWordVectors } from '../../language/word-vectors.js';
import type { LoadOptions } from '../../model/load.js';
import {
  type AdversarialOptions,
  defaultWindow,
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
    dropout: {
      embedding: choice.embeddingDropout,
      hidden: choice.dropout,
      attention: choice.attentionDropout,
    },
    half: choice.storage === 'fp16',
    vectors: vectors === undefined ? undefined : (words) => readWordVectors(vectors, words),
  };
}

/** Without a task those that can be checked before data are read. Throws UsageError for settings that do not go together. */
export function optionsOf(
  choice: TrainChoice,
  { kind, thresholds, numbers, tags }: Omit<LearntTask, 'described'> = { kind: chosenKind(choice) },
): TrainingOptions {
  const methods = (choice.adversarial ?? []).map(parseMethod);
  const adversarial = methods.length === 0 ? undefined : { alpha: choice.alpha, methods };
  checkTask(choice, kind, adversarial);
  checkCertify(choice);
  return {
    seed: choice.seed,
    ...{ thresholds, numbers, tags, adversarial },
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
    consistency: choice.consistency,
    certified: certifiedOf(choice),
    smoothing: choice.labelSmoothing,
    classWeights: choice.classWeights,
    tokenDropout: choice.tokenDropout,
    pieceDropout: choice.pieceDropout,
    teacherShare: choice.teacher ? choice.teacherShare : 0,
    evaluateEvery: choice.evaluateEvery,
    checkpointEvery: choice.checkpointEvery,
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
  if (kind === 'multi-label') checkLabelSets(choice, adversarial);
  if (kind === 'regression') checkNumberSettings(choice);
  if (kind === 'tags') checkTagSettings(choice);
  if (adversarial && choice.metric === 'loss') throw lossUnderAttack();
}

/** Throws UsageError for settings that take one label a text for granted. */
function checkLabelSets({ classWeights, consistency }: TrainChoice, adversarial?: AdversarialOptions): void {
  const queried = adversarial?.methods.some(({ copies }) => (copies?.queries ?? 0) > 0);
  const unfit = Object.entries({
    '--loss class-weights': classWeights !== undefined,
    '--regularize consistency': consistency > 0,
    '--adversarial augment:NAME:queries': queried,
  }).find(([, given]) => given)?.[0];
  if (unfit === undefined) return;
  throw new UsageError(`${unfit}: expected one label a text, got any number (--task multi-label)`, {
    code: 'MULTI_LABEL_UNSUPPORTED',
    hint: `Leave ${unfit} out.`,
  });
}

/** `characters:2` is two edits of characters, `words:2` two replaced words. */
function certifiedOf({ certify, certifyShare, window: given }: TrainChoice): TrainingOptions['certified'] {
  if (certify === undefined) return undefined;
  const [unit, edits] = certify.split(':') as ['characters' | 'words', string];
  const window = given ?? defaultWindow(CERTIFIED[unit]);
  return { edits: Number(edits), share: certifyShare, window, widest: unit === 'words' ? window : window + 1 };
}

/** The architecture whose votes a bound covers, by what is edited. */
const CERTIFIED = { characters: 'char-cnn', words: 'word-votes' } as const;

/** Throws UsageError for settings that the loss of a certificate does not cover. */
function checkCertify({ certify, arch, model, labelSmoothing, teacher, adversarial, storage }: TrainChoice): void {
  if (certify === undefined) return;
  const unit = certify.split(':')[0] as keyof typeof CERTIFIED;
  const wrong = [
    arch !== CERTIFIED[unit] || model !== undefined ? `a new model (--arch ${CERTIFIED[unit]})` : '',
    labelSmoothing > 0 ? 'no label smoothing' : '',
    teacher === undefined ? '' : 'no --teacher',
    adversarial === undefined ? '' : 'no --adversarial',
    storage === 'fp32' ? '' : 'storage=fp32',
  ].filter(Boolean);
  if (wrong.length === 0) return;
  throw new UsageError(`--certify ${certify}: expected ${wrong.join(', ')}`, {
    code: 'CERTIFY_UNSUPPORTED',
    hint: `The bound is of the votes of a new network for one label: --arch ${CERTIFIED[unit]} --certify ${unit}:1.`,
  });
}

const lossUnderAttack = (): UsageError =>
  new UsageError('--metric: expected accuracy, macroF1, microF1 or entityF1 with --adversarial, got loss', {
    code: 'USAGE',
    hint: 'Adversarial training chooses by a mean with the accuracy on perturbed texts, and a loss has no share in one.',
  });
