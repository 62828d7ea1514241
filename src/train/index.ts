/** @file The way into this room: data and a start go in, a model folder comes out. */
import { readdir, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Classifier } from '../core/classifier.js';
import type { Dataset } from '../core/dataset.js';
import { DatasetError, UsageError } from '../core/errors.js';
import { askedParts, PAIR_SEPARATOR } from '../core/pair.js';
import { copyFile, makeFolder, writeWhole } from '../files/write.js';
import type { Engine } from '../gradient/white-box/engine.js';
import { type LoadedModel, loadModel } from '../model/load.js';
import { type Rewriter, RewrittenCopies } from './adversarial/copies.js';
import type { Neighbours } from './adversarial/methods/method.js';
import { ExampleStore, type TextEncoder } from './example-store.js';
import type { History } from './history.js';
import { learningCurve } from './learning-curve.js';
import type { TrainingOptions } from './options.js';
import { type ExistingStart, type FreshStart, startExisting, startFresh, type TrainingStart } from './start.js';
import { checkClasses, checkLabelSets } from './targets.js';
import { teacherProbabilities } from './teacher-probabilities.js';
import { train } from './train.js';
import type { TrainingProgress } from './training.js';
import { ofCharacters } from './vocabulary.js';

export type { Rewriter } from './adversarial/copies.js';
export { parseMethod } from './adversarial/methods/index.js';
export type { AdversarialMethod } from './adversarial/methods/method.js';
export { type AdversarialOptions, moves } from './adversarial/options.js';
export { readsCharacters } from './architectures/index.js';
export type { History, Measurement } from './history.js';
export { holdOut } from './holdout.js';
export type { TrainingOptions } from './options.js';
export type { ExistingStart, FreshStart } from './start.js';
export type { TrainingProgress } from './training.js';

export interface TrainingPlan {
  readonly start: FreshStart | ExistingStart;
  readonly train: Dataset;
  readonly validation: Dataset;
  readonly options: TrainingOptions;
  /** What the model's robust.json says, beside what that of the model says which is trained further. */
  readonly described?: object;
  readonly teachers: readonly Classifier[];
  readonly engine: Engine;
  /** Threads that learn side by side: see Training. @default the cores this process may use */
  readonly threads?: number;
  /** Words that could stand for a word, for the methods that swap them. */
  readonly synonyms?: (word: string) => readonly string[];
  /** What makes the copies for the method `augment`. */
  readonly rewrite?: Rewriter;
  /** What a text, one of a pair too, becomes before the model reads it, in training as afterwards. `words`: those that the tokenizer knows. @default itself */
  readonly reading?: (words: readonly string[]) => Promise<(text: string) => string>;
  /** Folder the model is written to, Hugging Face layout. Made if missing. */
  readonly output: string;
  /** Folder for the state of the training: checkpoint, history.json, learning-curve.svg. Made if missing. */
  readonly folder: string;
  /** Go on from the checkpoint in `folder`. */
  readonly resume: boolean;
}

export interface TrainingHooks {
  readonly signal?: AbortSignal;
  progress?(at: TrainingProgress): void;
  /** What happens before the first step: "learning the vocabulary". */
  stage?(text: string): void;
  warn?(message: string): void;
  /** What is worth knowing once: how many words begin with a vector. */
  note?(line: string): void;
}

/**
 * Trains a model and leaves the best weights by the validation score in `output`, whatever happens afterwards. Data is
 * streamed: in memory stay 16 bytes an example and the distinct words. Throws DatasetError for data that cannot be learnt
 * from, ModelError for a model that cannot be trained, OutputError where a file cannot be written.
 */
export async function trainModel(plan: TrainingPlan, hooks: TrainingHooks = {}): Promise<History> {
  const { start, options, engine, threads = availableParallelism(), output, folder } = plan;
  makeFolder(output, 'the folder of the model');
  makeFolder(folder, 'the folder of the training');
  hooks.stage?.(start.kind === 'fresh' ? 'learning the vocabulary' : 'opening the model');
  const started =
    start.kind === 'fresh'
      ? await startFresh(start, plan.train, output, options, (line) => hooks.note?.(line), plan.described)
      : await startExisting(start, output, options, plan.described);
  const reading = await plan.reading?.(started.encoder.words?.() ?? []);
  const begun = reading ? { ...started, encoder: encoderBehind(started.encoder, reading) } : started;
  const swaps = options.adversarial?.methods.some(({ needsNeighbours }) => needsNeighbours) ?? false;
  checkNoise(options, begun, swaps);
  if (options.thresholds)
    checkLabelSets(
      plan.train.name,
      plan.train.labels.map(() => 1),
      plan.train.labels,
    );
  if (!options.numbers) checkLabels(plan.train, begun.trainable.columns);

  hooks.stage?.('reading the data');
  const store = (data: Dataset, name: string) =>
    ExampleStore.create(data, join(folder, name), data.labels.length, begun.encoder);
  const examples = await store(plan.train, 'train.ids');
  const validation = await store(plan.validation, 'validation.ids').catch(async (error) => {
    await examples.close();
    throw error;
  });
  let copies: RewrittenCopies | undefined;
  try {
    // Single rows learn one answer to one word: there one class is the rule.
    if (options.thresholds) {
      const missing = checkLabelSets(plan.train.name, examples.classes, plan.train.labels);
      if (missing.length > 0) hooks.warn?.(`${plan.train.name}: no text to learn has ${missing.join(', ')}`);
    } else if (!options.numbers && (start.kind === 'fresh' || typeof start.part === 'string'))
      checkClasses(plan.train.name, examples.classes, plan.train.labels);
    if (examples.truncated > 0)
      hooks.warn?.(`${plan.train.name}: ${examples.truncated} texts were longer than the model takes and cut`);
    if (plan.teachers.length > 0) hooks.stage?.('asking the teachers');
    const teacher =
      plan.teachers.length > 0 ? await teacherProbabilities(plan.teachers, plan.train, plan.train.labels) : undefined;
    if (!plan.resume) await rm(join(folder, COPIES), { recursive: true, force: true });
    copies = copiesOf(plan, begun, hooks, reading);
    hooks.stage?.('differentiating the graph');
    const history = await train({
      ...begun,
      maxTokens: begun.encoder.maximum,
      // All that an encoder adds to a text of no words.
      special: Array.from(begun.encoder.encode('').ids),
      ...(swaps && { neighbours: neighboursOf(begun, plan.synonyms ?? (() => [])) }),
      engine,
      threads,
      train: examples,
      validation,
      ...(teacher && { teacher }),
      ...(copies && { copies }),
      options,
      checkpoint: join(folder, CHECKPOINT),
      resume: plan.resume,
      ...(hooks.signal && { signal: hooks.signal }),
      keep: (weights) => writeWhole(join(output, begun.fileName), begun.file.bytes(weights), 'the model'),
      onProgress: (at) => hooks.progress?.(at),
      onMeasured: (points) => record(folder, { points, steps: points.at(-1)?.step ?? 0, end: 'running' }, options),
    });
    record(folder, history, options);
    if (history.end !== 'interrupted') {
      await rm(join(folder, CHECKPOINT), { force: true });
      await rm(join(folder, COPIES), { recursive: true, force: true });
    }
    return history;
  } finally {
    await copies?.close();
    await examples.remove();
    await validation.remove();
  }
}

/** Undefined where no method wants copies. */
function copiesOf(
  plan: TrainingPlan,
  begun: TrainingStart,
  { stage, signal }: TrainingHooks,
  reading?: (text: string) => string,
): RewrittenCopies | undefined {
  const methods = plan.options.adversarial?.methods.flatMap(({ copies }) => copies ?? []) ?? [];
  if (methods.length === 0) return undefined;
  const { train, validation, folder, rewrite } = plan;
  if (rewrite === undefined) throw new RangeError('expected a rewriter for augment');
  return new RewrittenCopies({
    methods,
    train,
    validation,
    rewrite,
    open: (weights) => openAtHand(plan, begun, weights, reading),
    encoder: begun.encoder,
    folder,
    texts: join(folder, COPIES),
    ...(stage && { stage }),
    ...(signal && { signal }),
  });
}

/** The model with the weights at hand, as its users will load it. */
async function openAtHand(
  { output, folder, start }: TrainingPlan,
  { file, fileName }: TrainingStart,
  weights: ReadonlyMap<string, Float32Array>,
  reading: (text: string) => string = (text) => text,
): Promise<Classifier & Pick<LoadedModel, 'close'>> {
  const place = join(folder, COPIES, 'model');
  makeFolder(place, 'the model at hand');
  for (const entry of await readdir(output, { withFileTypes: true })) {
    if (entry.isFile() && entry.name !== fileName) copyFile(join(output, entry.name), join(place, entry.name));
  }
  writeWhole(join(place, fileName), file.bytes(weights), 'the model at hand');
  const model = await loadModel(place, start.kind === 'existing' ? start.load : {});
  const read = (asked: string): string => askedParts(asked).map(reading).join(PAIR_SEPARATOR);
  return { labels: model.labels, classify: (texts) => model.classify(texts.map(read)), close: () => model.close() };
}

/** The encoder behind what changes texts. */
const encoderBehind = (encoder: TextEncoder, reading: (text: string) => string): TextEncoder => ({
  maximum: encoder.maximum,
  encode: (text, second) => encoder.encode(reading(text), second === undefined ? undefined : reading(second)),
});

/** The pieces that are whole words, and those of their synonyms that are too. */
function neighboursOf({ vocabulary = [] }: TrainingStart, synonyms: (word: string) => readonly string[]): Neighbours {
  const ids = new Map(vocabulary.map((piece, id) => [piece, id]));
  return new Map(
    vocabulary.flatMap((piece, id): [number, number[]][] => {
      if (!/^\p{L}{2,}$/u.test(piece)) return [];
      const others = synonyms(piece).flatMap((word) => ids.get(word) ?? []);
      return others.length > 0 ? [[id, [...new Set(others)].filter((other) => other !== id)]] : [];
    }),
  );
}

const CHECKPOINT = 'checkpoint.safetensors';
const COPIES = 'copies';

function record(folder: string, history: History, { metric }: TrainingOptions): void {
  writeWhole(join(folder, 'history.json'), `${JSON.stringify(history, null, 1)}\n`, 'the history');
  writeWhole(join(folder, 'learning-curve.svg'), learningCurve(history.points, metric), 'the learning curve');
}

function checkLabels({ name, labels }: Dataset, columns: number): void {
  const outputs = Math.max(2, columns);
  if (labels.length === outputs) return;
  throw new DatasetError(
    `${name}: expected the ${outputs} labels of the model, got ${labels.length}: ${labels.slice(0, 10).join(', ')}`,
    {
      code: 'LABEL_COUNT',
      hint: 'Map the labels of the data to those of the model (--label-map), or train a new model (--arch).',
    },
  );
}

/** Noise on tokens needs to know what they are. */
function checkNoise(
  options: TrainingOptions,
  { vocabulary, unknownId, unpadded, trainable }: TrainingStart,
  swaps: boolean,
): void {
  // Of characters each word has one spelling, and none is a word.
  const pieces = vocabulary !== undefined && !ofCharacters(vocabulary);
  const wrong = [
    options.tokenDropout > 0 && unknownId === undefined ? 'a tokenizer with [UNK] for token dropout' : '',
    swaps && !pieces ? 'a WordPiece tokenizer of more than characters for swapping words' : '',
    options.pieceDropout > 0 && !pieces ? 'a WordPiece tokenizer of more than characters for piece dropout' : '',
    options.pieceDropout > 0 && unpadded ? 'a graph with an attention mask for piece dropout' : '',
    options.consistency > 0 && trainable.head !== 'softmax' ? 'a softmax for consistency' : '',
  ].filter(Boolean);
  if (wrong.length === 0) return;
  throw new UsageError(`expected ${wrong.join(' and ')}, got a model without`, {
    code: 'NOISE_UNSUPPORTED',
    hint: 'Set that option to 0 for this model.',
  });
}
