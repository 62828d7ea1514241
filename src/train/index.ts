/** @file Trains a model: data and a start go in, a model folder comes out. */
import { readdir, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Classifier } from '../core/classifier.js';
import { closing } from '../core/closing-stack.js';
import type { Dataset } from '../core/dataset.js';
import { defined } from '../core/defined.js';
import { DatasetError, UsageError } from '../core/errors.js';
import { PAIR_SEPARATOR, queryParts } from '../core/pair.js';
import { copyFile, makeFolder, writeWhole } from '../files/write.js';
import type { Engine } from '../gradient/white-box/engine.js';
import { type LoadedModel, loadModel } from '../model/load.js';
import { type Rewriter, RewrittenCopies } from './adversarial/copies.js';
import type { Neighbours } from './adversarial/methods/method.js';
import { ExampleStore, type Tagger, type TextEncoder } from './example-store.js';
import type { History } from './history.js';
import { learningCurve } from './learning-curve.js';
import type { TrainingOptions } from './options.js';
import { type ExistingStart, type FreshStart, startExisting, startFresh, type TrainingStart } from './start.js';
import { schemeOf, tagTargets } from './tag-targets.js';
import { checkClasses, checkEntities, checkLabelSets } from './targets.js';
import { teacherProbabilities } from './teacher-probabilities.js';
import { train } from './train.js';
import type { TrainingProgress } from './training.js';
import { ofCharacters } from './vocabulary.js';

export type { Rewriter } from './adversarial/copies.js';
export { parseMethod } from './adversarial/methods/index.js';
export type { AdversarialMethod } from './adversarial/methods/method.js';
export { type AdversarialOptions, moves } from './adversarial/options.js';
export { defaultWindow, readsCharacters } from './architectures/index.js';
export type { History, Measurement } from './history.js';
export { holdOut } from './holdout.js';
export type { TrainingOptions } from './options.js';
export type { ExistingStart, FreshStart } from './start.js';
export { noEntities } from './targets.js';
export type { TrainingProgress } from './training.js';

export interface TrainingPlan {
  readonly start: FreshStart | ExistingStart;
  readonly train: Dataset;
  readonly validation: Dataset;
  readonly options: TrainingOptions;
  /** Keys of the model's robust.json, besides those of the model that is trained further. */
  readonly described?: object;
  readonly teachers: readonly Classifier[];
  readonly engine: Engine;
  /** Threads that learn in parallel: see Training. @default the cores that this process may use */
  readonly threads?: number;
  /** Words that could replace a word, for the methods that swap words. */
  readonly synonyms?: (word: string) => readonly string[];
  /** Makes the copies for the method `augment`. */
  readonly rewrite?: Rewriter;
  /** Changes each text, also of a pair, before the model reads it, in training as afterwards. `words`: those that the tokenizer knows. @default none */
  readonly reading?: (words: readonly string[]) => Promise<(text: string) => string>;
  /** Folder of the model, in the Hugging Face layout. Created if missing. */
  readonly output: string;
  /** Folder of the training's state: checkpoint, history.json, learning-curve.svg. Created if missing. */
  readonly folder: string;
  /** Continue from the checkpoint in `folder`. */
  readonly resume: boolean;
}

export interface TrainingHooks {
  readonly signal?: AbortSignal | undefined;
  progress?(at: TrainingProgress): void;
  /** Reports what happens before the first step, such as "learning the vocabulary". */
  stage?(text: string): void;
  warn?(message: string): void;
  /** Reports a fact, such as how many words begin with a vector. */
  note?(line: string): void;
}

/**
 * Trains a model and leaves the best weights by the validation score in `output`, whatever happens afterwards. Streams the data: only 16 bytes per example
 * and the distinct words stay in memory. Throws DatasetError for data that cannot be learnt, ModelError for a model that cannot be trained, OutputError for
 * a file that cannot be written.
 */
export async function trainModel(plan: TrainingPlan, hooks: TrainingHooks = {}): Promise<History> {
  const { options, engine, threads = availableParallelism(), output, folder } = plan;
  makeFolder(output, 'the folder of the model');
  makeFolder(folder, 'the folder of the training');
  const { reading, ...begun } = await begin(plan, hooks);
  const { encoder, file, fileName } = begun;
  const swaps = options.adversarial?.methods.some(({ needsNeighbours }) => needsNeighbours) ?? false;
  checkNoise(options, begun, swaps);
  checkOutputs(plan, begun.trainable.columns);

  const tagger = taggerOf(options, encoder);
  hooks.stage?.('reading the data');
  return closing(async (opened) => {
    const openStore = async (data: Dataset, name: string): Promise<ExampleStore> => {
      const store = await ExampleStore.create(data, join(folder, name), data.labels.length, encoder, tagger);
      opened.defer(() => store.remove());
      return store;
    };
    const examples = await openStore(plan.train, 'train.ids');
    const validation = await openStore(plan.validation, 'validation.ids');
    checkExamples(plan, examples, hooks);
    const teacher = await askTeachers(plan, hooks);
    if (!plan.resume) await rm(join(folder, COPIES), { recursive: true, force: true });
    const copies = opened.add(openCopies(plan, begun, hooks, reading));
    hooks.stage?.('differentiating the graph');
    const history = await train({
      ...begun,
      maxTokens: encoder.maximum,
      // All that an encoder adds to an empty text.
      special: Array.from(encoder.encode('').ids),
      neighbours: swaps ? neighboursOf(begun, plan.synonyms ?? (() => [])) : undefined,
      ...{ engine, threads, train: examples, validation, teacher, copies, options },
      checkpoint: join(folder, CHECKPOINT),
      resume: plan.resume,
      signal: hooks.signal,
      keep: (weights) => writeWhole(join(output, fileName), file.bytes(weights), 'the model'),
      onProgress: (at) => hooks.progress?.(at),
      onMeasured: (points) => record(folder, { points, steps: points.at(-1)?.step ?? 0, end: 'running' }, options),
    });
    record(folder, history, options);
    if (history.end !== 'interrupted') {
      await rm(join(folder, CHECKPOINT), { force: true });
      await rm(join(folder, COPIES), { recursive: true, force: true });
    }
    return history;
  });
}

/** The start of the training, and what changes each text before the model reads it. */
async function begin(
  { start, train, output, options, described, reading: openReading }: TrainingPlan,
  hooks: TrainingHooks,
): Promise<TrainingStart & { readonly reading: ((text: string) => string) | undefined }> {
  hooks.stage?.(start.kind === 'fresh' ? 'learning the vocabulary' : 'opening the model');
  const started =
    start.kind === 'fresh'
      ? await startFresh(start, train, output, options, (line) => hooks.note?.(line), described)
      : await startExisting(start, output, options, described);
  const reading = await openReading?.(started.encoder.words?.() ?? []);
  return { ...started, encoder: reading ? encoderBehind(started.encoder, reading) : started.encoder, reading };
}

/** Throws DatasetError for labels that do not fit the model's outputs. */
function checkOutputs({ train, options }: TrainingPlan, columns: number): void {
  const { name, labels } = train;
  const each = labels.map(() => 1);
  if (options.thresholds) checkLabelSets(name, each, labels);
  if (!options.numbers && !options.tags) checkLabels(train, columns);
}

/** The tags of examples; undefined where texts have labels. */
function taggerOf({ tags }: TrainingOptions, { tokens, continues }: TextEncoder): Tagger | undefined {
  if (tags === undefined) return undefined;
  if (tokens === undefined) throw new RangeError('expected an encoder that gives the places of tokens');
  const [scheme, places] = [schemeOf(tags), { tokens, ...defined({ continues }) }];
  return { count: tags.length, of: (example) => tagTargets(places, scheme, example) };
}

/** Throws DatasetError for examples that a model cannot learn from; warns of what it will not learn. */
function checkExamples({ start, train, options }: TrainingPlan, examples: ExampleStore, hooks: TrainingHooks): void {
  const { name, labels } = train;
  // Single rows learn one prediction for one word, from texts of one class.
  const whole = start.kind === 'fresh' || typeof start.part === 'string';
  if (options.tags) checkEntities(name, examples.classes, options.tags);
  else if (options.thresholds) {
    const missing = checkLabelSets(name, examples.classes, labels);
    if (missing.length > 0) hooks.warn?.(`${name}: no text to learn has ${missing.join(', ')}`);
  } else if (!options.numbers && whole) checkClasses(name, examples.classes, labels);
  if (examples.truncated > 0)
    hooks.warn?.(`${name}: ${examples.truncated} texts were longer than the model takes and cut`);
}

async function askTeachers({ teachers, train }: TrainingPlan, hooks: TrainingHooks): Promise<Float32Array | undefined> {
  if (teachers.length === 0) return undefined;
  hooks.stage?.('asking the teachers');
  return teacherProbabilities(teachers, train, train.labels);
}

/** Undefined if no method needs copies. */
function openCopies(
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
    open: (weights) => openCurrent(plan, begun, weights, reading),
    encoder: begun.encoder,
    ...defined({ tagger: taggerOf(plan.options, begun.encoder) }),
    folder,
    texts: join(folder, COPIES),
    ...{ stage, signal },
  });
}

/** The model with the current weights, as its users will load it. */
async function openCurrent(
  { output, folder, start }: TrainingPlan,
  { file, fileName }: TrainingStart,
  weights: ReadonlyMap<string, Float32Array>,
  reading: (text: string) => string = (text) => text,
): Promise<Classifier & Pick<LoadedModel, 'close'>> {
  const place = join(folder, COPIES, 'model');
  makeFolder(place, 'the current model');
  for (const entry of await readdir(output, { withFileTypes: true })) {
    if (entry.isFile() && entry.name !== fileName) copyFile(join(output, entry.name), join(place, entry.name));
  }
  writeWhole(join(place, fileName), file.bytes(weights), 'the current model');
  const model = await loadModel(place, start.kind === 'existing' ? start.load : {});
  const read = (query: string): string => queryParts(query).map(reading).join(PAIR_SEPARATOR);
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
  // For a character vocabulary each word has one spelling, and no entry is a word.
  const pieces = vocabulary !== undefined && !ofCharacters(vocabulary);
  const wrong = [
    options.tokenDropout > 0 && unknownId === undefined ? 'a tokenizer with [UNK] for token dropout' : '',
    swaps && !pieces ? 'a WordPiece tokenizer of more than characters for swapping words' : '',
    options.pieceDropout > 0 && !pieces ? 'a WordPiece tokenizer of more than characters for piece dropout' : '',
    options.pieceDropout > 0 && unpadded ? 'a graph with an attention mask for piece dropout' : '',
    options.pieceDropout > 0 && options.tags ? 'labels of texts for piece dropout' : '',
    options.consistency > 0 && trainable.head !== 'softmax' ? 'a softmax for consistency' : '',
  ].filter(Boolean);
  if (wrong.length === 0) return;
  throw new UsageError(`expected ${wrong.join(' and ')}, got a model without`, {
    code: 'NOISE_UNSUPPORTED',
    hint: 'Set that option to 0 for this model.',
  });
}
