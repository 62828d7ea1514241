/** @file From the settings of a training to the options of a training. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { RobustError } from '../../core/errors.js';
import { readWordVectors } from '../../language/word-vectors.js';
import { type LoadOptions, locate } from '../../model/load.js';
import { readJsonObject } from '../../model/opening/json-file.js';
import {
  type ExistingStart,
  type FreshStart,
  parseMethod,
  readsCharacters,
  type TrainingOptions,
} from '../../train/index.js';
import { type LearntTask, learningOf, learntKind, type TrainChoice } from './learnt-task.js';

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

/** Learning rate of a small existing model that is hardened, with which docs/research/adversarial-training.md measured; wider models were not. */
const HARDENING_RATE = { rate: 1e-3, widest: 256 };

/** The choice with the learning rate that hardening has by default, for the control as well. Throws ModelError for a model that is not there. */
export async function withHardeningRate(choice: TrainChoice, load: LoadOptions): Promise<TrainChoice> {
  const { lr, model, adversarial } = choice;
  if (lr !== undefined || model === undefined || adversarial === undefined) return choice;
  const source = await locate(model, load);
  const width = source.kind === 'onnx' ? await widthIn(source.folder) : undefined;
  return width !== undefined && width <= HARDENING_RATE.widest ? { ...choice, lr: HARDENING_RATE.rate } : choice;
}

/** Width of a token, as config.json calls it. */
async function widthIn(folder: string): Promise<number | undefined> {
  const path = join(folder, 'config.json');
  if (!existsSync(path)) return undefined;
  const config = await readJsonObject(path);
  return ['hidden_size', 'dim', 'd_model', 'n_embd']
    .map((key) => config[key])
    .find((value) => typeof value === 'number');
}

/** Steps between the checkpoints that an interrupted training resumes from. */
const CHECKPOINT_EVERY = 200;

/** Without a task those that can be checked before data are read. Throws RobustError for settings that do not go together. */
export function optionsOf(
  choice: TrainChoice,
  { kind, thresholds, numbers, tags }: Omit<LearntTask, 'described'> = { kind: learntKind(choice) },
): TrainingOptions {
  const methods = (choice.adversarial ?? []).map(parseMethod);
  const adversarial = methods.length === 0 ? undefined : { alpha: choice.alpha, methods };
  const { metric, check } = learningOf(kind);
  check?.(choice);
  if (adversarial && choice.metric === 'loss') throw lossUnderAttack();
  return {
    seed: choice.seed,
    thresholds,
    numbers,
    tags,
    adversarial,
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
    metric: choice.metric ?? metric,
    patience: choice.patience,
  };
}

const lossUnderAttack = (): RobustError =>
  new RobustError('--metric: expected accuracy, macroF1, microF1 or entityF1 with --adversarial, got loss', {
    code: 'FLAG_INVALID',
    hint: 'Adversarial training chooses by a mean with the accuracy on perturbed texts, and a loss has no share in one.',
  });
