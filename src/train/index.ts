/** @file Trains a model: data and a start go in, a model folder comes out. */
import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Dataset } from '../core/dataset.js';
import { defined } from '../core/defined.js';
import { must, RobustError } from '../core/errors.js';
import { makeFolder, makeInnerFolder, writeWhole } from '../files/write.js';
import { type Rewriter, RewrittenCopies } from './adversarial/copies.js';
import type { Neighbours } from './adversarial/methods/method.js';
import { moves } from './adversarial/options.js';
import { ExampleStore, type Tagger, type TextEncoder } from './example-store.js';
import type { History } from './history.js';
import type { TrainingOptions } from './options.js';
import { type ExistingStart, type FreshStart, startExisting, startFresh, type TrainingStart } from './start.js';
import { schemeOf, tagTargets } from './tag-targets.js';
import { checkClasses, checkEntities, checkLabelSets } from './targets.js';
import { train } from './train.js';
import type { TrainingProgress } from './training.js';
import { ofCharacters } from './vocabulary.js';

export type { Rewriter } from './adversarial/copies.js';
export { parseMethod } from './adversarial/methods/index.js';
export type { AdversarialMethod } from './adversarial/methods/method.js';
export type { AdversarialOptions } from './adversarial/options.js';
export { readsCharacters } from './architectures/index.js';
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
  /** See Training. @default the cores that this process may use; 2 where an adversary moves embeddings */
  readonly threads?: number;
  /** Words that could replace a word, for the methods that swap words. */
  readonly synonyms?: (word: string) => readonly string[];
  /** Makes the copies for the method `augment`. */
  readonly rewrite?: Rewriter;
  /** Changes each text, also of a pair, before the model reads it, in training as afterwards. `words`: those that the tokenizer knows. @default none */
  readonly reading?: (words: readonly string[]) => Promise<(text: string) => string>;
  /** Folder of the model, in the Hugging Face layout. Created if missing. */
  readonly output: string;
  /** Folder of the training's state: checkpoint, history.json. Created if missing. */
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
 * Trains a model and leaves the best weights by the validation score in `output`, whatever happens afterwards. Throws RobustError for data
 * that cannot be learnt, ModelError for a model that cannot be trained, OutputError for a file that cannot be written.
 */
export async function trainModel(plan: TrainingPlan, hooks: TrainingHooks = {}): Promise<History> {
  const { options, output, folder } = plan;
  const moving = options.adversarial !== undefined && moves(options.adversarial);
  const { threads = moving ? 2 : availableParallelism() } = plan;
  makeFolder(output, 'the folder of the model');
  makeInnerFolder(folder, 'the folder of the training');
  const begun = await begin(plan, hooks);
  const { encoder, file, fileName } = begun;
  const swaps = options.adversarial?.methods.some(({ needsNeighbours }) => needsNeighbours) ?? false;
  checkTokens(options, begun, swaps);
  checkOutputs(plan, begun.trainable.columns);

  const tagger = taggerOf(options, encoder);
  hooks.stage?.('reading the data');
  const storeOf = (data: Dataset) => ExampleStore.create(data, data.labels.length, encoder, tagger);
  const examples = await storeOf(plan.train);
  const validation = await storeOf(plan.validation);
  checkExamples(plan, examples, hooks);
  const copies = openCopies(plan, begun, hooks);
  hooks.stage?.('differentiating the graph');
  const history = await train({
    ...begun,
    // All that an encoder adds to an empty text.
    special: Array.from(encoder.encode('').ids),
    neighbours: swaps ? neighboursOf(begun, plan.synonyms ?? (() => [])) : undefined,
    threads,
    train: examples,
    validation,
    copies,
    options,
    checkpoint: join(folder, CHECKPOINT),
    resume: plan.resume,
    signal: hooks.signal,
    keep: (weights) => writeWhole(join(output, fileName), file.bytes(weights), 'the model'),
    onProgress: (at) => hooks.progress?.(at),
    onMeasured: (points) => record(folder, { points, steps: points.at(-1)?.step ?? 0, end: 'running' }),
  });
  record(folder, history);
  if (history.end !== 'interrupted') await rm(join(folder, CHECKPOINT), { force: true });
  return history;
}

/** The start of the training; its encoder has each text changed before the model reads it. */
async function begin(
  { start, train, output, options, described, reading: openReading }: TrainingPlan,
  hooks: TrainingHooks,
): Promise<TrainingStart> {
  hooks.stage?.(start.kind === 'fresh' ? 'learning the vocabulary' : 'opening the model');
  const started =
    start.kind === 'fresh'
      ? await startFresh(start, train, output, options, (line) => hooks.note?.(line), described)
      : await startExisting(start, output, options, described);
  const reading = await openReading?.(started.encoder.words?.() ?? []);
  return reading ? { ...started, encoder: encoderBehind(started.encoder, reading) } : started;
}

/** Throws RobustError for labels that do not fit the model's outputs. */
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

/** Throws RobustError for examples that a model cannot learn from; warns of what it will not learn. */
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

/** Undefined if no method needs copies. */
function openCopies(
  { options, train, validation, rewrite }: TrainingPlan,
  { encoder }: TrainingStart,
  { stage, signal }: TrainingHooks,
): RewrittenCopies | undefined {
  const attacks = options.adversarial?.methods.flatMap(({ copiesBy }) => copiesBy ?? []) ?? [];
  if (attacks.length === 0) return undefined;
  if (rewrite === undefined) throw new RangeError('expected a rewriter for augment');
  return new RewrittenCopies({
    attacks,
    train,
    validation,
    rewrite,
    encoder,
    stage,
    signal,
    tagger: taggerOf(options, encoder),
  });
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

const CHECKPOINT = 'checkpoint.bin';

const record = (folder: string, history: History): void =>
  writeWhole(join(folder, 'history.json'), `${JSON.stringify(history, null, 1)}\n`, 'the history');

function checkLabels({ name, labels }: Dataset, columns: number): void {
  const outputs = Math.max(2, columns);
  if (labels.length === outputs) return;
  if (labels.length === 1) throw oneLabel(name, must(labels[0]));
  throw new RobustError(
    `${name}: expected the ${outputs} labels of the model, got ${labels.length}: ${labels.slice(0, 10).join(', ')}`,
    {
      code: 'LABELS_MISMATCH',
      hint: 'Map the labels of the data to those of the model (--label-map), or train a new model (--arch).',
    },
  );
}

const oneLabel = (name: string, label: string): RobustError =>
  new RobustError(`${name}: expected texts of two labels or more, got only "${label}"`, {
    code: 'LABELS_TOO_FEW',
    hint: 'Add texts of another label, or name the column of the labels: --columns label=NAME.',
  });

/** Replacing tokens needs to know what they are. */
function checkTokens(options: TrainingOptions, { vocabulary, unknownId }: TrainingStart, swaps: boolean): void {
  // No entry of a character vocabulary is a word.
  const pieces = vocabulary !== undefined && !ofCharacters(vocabulary);
  const wrong = [
    options.tokenDropout > 0 && unknownId === undefined ? 'a tokenizer with [UNK] for token dropout' : '',
    swaps && !pieces ? 'a WordPiece tokenizer of more than characters for swapping words' : '',
  ].filter(Boolean);
  if (wrong.length === 0) return;
  throw new RobustError(`expected ${wrong.join(' and ')}, got a model without`, {
    code: 'TRAINING_UNSUPPORTED',
    hint: 'Set that option to 0 for this model.',
  });
}
