/**
 * @file The queue between all searches and the workers. Questions wait in groups of equal kind and token count: such batches need no
 * padding, and each text's answer is bitwise the same whatever company it has. So answers never depend on who asks when.
 */
import { ModelGone, must } from '../../core/errors.js';
import type { OutputRule } from '../output/activation.js';
import type { Batch, Wiring } from './feeds.js';
import type { InferenceAnswer, InferencePlan, InferenceSetting, OpenedInference } from './inference.js';
import { type PoolOptions, WorkerPool } from './pool.js';

/** After this many batches of others a waiting group goes first, however small it is. */
const MAX_BATCHES_WAITED = 16;

/** How questions become batches, and batches answers. */
export interface Batching<Question, Request, Answer, Result> {
  /** Token ids of a question; 0 where they do not count. */
  length(question: Question): number;
  /** Questions of different kinds never share a batch. A whole number. */
  kind?(question: Question): number;
  /** Most questions like this one in a batch. */
  most(question: Question): number;
  /** Most questions in any batch. */
  readonly largest: number;
  /** Smaller batches of questions like this one are filled up with copies of it. */
  least(question: Question): number;
  request(questions: readonly Question[]): Request;
  /** Extracts the result of one of the `rows` queries in a batch. */
  result(answer: Answer, row: number, rows: number): Result;
}

interface QueuedQuestion<Question, Result> {
  readonly question: Question;
  /** To be run without company: its batch failed, and only the culprit shall. */
  readonly alone: boolean;
  resolve(result: Result): void;
  reject(error: Error): void;
}

interface Group<Question, Result> {
  readonly length: number;
  readonly most: number;
  readonly waiting: QueuedQuestion<Question, Result>[];
  /** Number of the batch that was next when the group came to be. */
  since: number;
}

/** Requirements of a queue on a pool. */
export type QueuePool<Request, Answer> = Pick<
  WorkerPool<unknown, Request & object, Answer>,
  'free' | 'idle' | 'dead' | 'busy' | 'processor' | 'workers' | 'onFree' | 'send' | 'grow' | 'goneError'
>;

export class BatchQueue<Question, Request, Answer, Result> {
  readonly #pool: QueuePool<Request, Answer>;
  readonly #batching: Batching<Question, Request, Answer, Result>;
  readonly #groups = new Map<number, Group<Question, Result>>();
  #waiting = 0;
  /** Key of the latest group of one question that must run alone: below all others, never used twice. */
  #lonely = 0;
  #scheduled = false;
  #batches = 0;
  #computed = 0;
  #idsRun = 0;
  #idsWasted = 0;

  /** The one queue of this pool. */
  constructor(pool: QueuePool<Request, Answer>, batching: Batching<Question, Request, Answer, Result>) {
    this.#pool = pool;
    this.#batching = batching;
    pool.onFree = () => this.#wake();
  }

  get figures() {
    return {
      computed: this.#computed,
      batches: this.#batches,
      meanBatch: this.#batches === 0 ? 0 : this.#computed / this.#batches,
      paddingWaste: this.#idsRun === 0 ? 0 : this.#idsWasted / this.#idsRun,
      secondsBusy: this.#pool.busy,
      secondsProcessor: this.#pool.processor,
      workers: this.#pool.workers,
    };
  }

  ask(question: Question): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#add({ question, alone: false, resolve, reject });
    });
  }

  /** Lets callers of this tick meet, then sends. */
  #wake(): void {
    if (this.#scheduled || this.#waiting === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#dispatch();
    });
  }

  #add(waiting: QueuedQuestion<Question, Result>): void {
    const { question } = waiting;
    const length = this.#batching.length(question);
    // Two kinds at most; the keys of those that run alone are below 0.
    const key = waiting.alone ? --this.#lonely : 2 * length + (this.#batching.kind?.(question) ?? 0);
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = { length, most: this.#batching.most(question), waiting: [], since: this.#batches };
      this.#groups.set(key, group);
    }
    group.waiting.push(waiting);
    this.#waiting++;
    this.#wake();
  }

  #dispatch(): void {
    // Batches no idle worker was there for. A lone query never opens a second worker.
    let crowded = 0;
    while (this.#waiting > 0 && this.#pool.free) {
      if (this.#pool.idle === 0) crowded++;
      const [key, group] = this.#next();
      const share = Math.ceil(this.#waiting / Math.max(1, this.#pool.idle));
      const batch = group.waiting.splice(0, Math.min(group.most, share));
      if (group.waiting.length === 0) this.#groups.delete(key);
      else group.since = this.#batches;
      this.#waiting -= batch.length;
      this.#batches++;
      this.#send(batch, group.length);
    }
    this.#pool.grow(crowded + Math.ceil(this.#waiting / this.#batching.largest));
    if (this.#waiting > 0 && this.#pool.dead) {
      for (const { waiting } of this.#groups.values()) for (const { reject } of waiting) reject(this.#pool.goneError());
      this.#groups.clear();
      this.#waiting = 0;
    }
  }

  /** The fullest group, of equals the oldest; one that has waited too long before all. */
  #next(): [number, Group<Question, Result>] {
    let best: [number, Group<Question, Result>] | undefined;
    let fullest = 0;
    for (const entry of this.#groups) {
      const [, { since, most, waiting }] = entry;
      if (this.#batches - since > MAX_BATCHES_WAITED) return entry;
      const fill = Math.min(waiting.length, most);
      if (fill > fullest) [best, fullest] = [entry, fill];
    }
    return must(best);
  }

  #send(batch: readonly QueuedQuestion<Question, Result>[], length: number): void {
    const [first] = batch as [QueuedQuestion<Question, Result>];
    const rows = Math.max(batch.length, this.#batching.least(first.question));
    const filled = Array.from({ length: rows }, (_, row) => (batch[row] ?? first).question);
    this.#pool.send({
      request: this.#batching.request(filled)!,
      done: (answer) => {
        this.#computed += batch.length;
        this.#idsRun += rows * length;
        this.#idsWasted += (rows - batch.length) * length;
        batch.forEach(({ resolve }, row) => {
          resolve(this.#batching.result(answer, row, rows));
        });
      },
      failed: (error) => {
        if (batch.length === 1 || error instanceof ModelGone) for (const { reject } of batch) reject(error);
        else for (const waiting of batch) this.#add({ ...waiting, alone: true });
      },
      again: () => {
        for (const waiting of batch) this.#add(waiting);
      },
    });
  }
}

export interface BatchSize {
  /** Smaller batches are filled up with copies of their first text. */
  readonly least: number;
  readonly most: number;
  /** Most token ids: bounds the memory of long texts. @default 16384 */
  readonly ids?: number;
}

/** A text as its encoder made it. */
export interface EncodedText {
  readonly ids: Int32Array;
  /** Token types, one an id. @default 0 everywhere */
  readonly types?: Int32Array | undefined;
  /** The text, for graphs that take it itself. */
  readonly text?: string;
  /** The token whose row is wanted, of graphs that answer each token. */
  readonly at?: number;
  /** To be answered by the graph in 8 bits. */
  readonly int8?: boolean;
}

export type InferencePool = WorkerPool<OpenedInference, Batch, InferenceAnswer>;

/** Workers that run the classifier in a file. */
export function inferencePool(
  plan: InferencePlan,
  options: Pick<PoolOptions, 'size' | 'isolate' | 'check'>,
): InferencePool {
  return new WorkerPool({ ...options, module: 'model/workers/inference.js', plan, model: plan.file });
}

export type InferenceQueue = BatchQueue<EncodedText, Batch, InferenceAnswer, Float32Array>;

/** Texts of unequal lengths share a batch, except in 8 bits: each is filled up to a multiple of `tokens`, but to no more than `most`. */
export interface LengthBuckets {
  readonly tokens: number;
  readonly most: number;
  readonly padId: number;
}

/** Features in one batch: 16 MB. */
const MAX_BATCH_FEATURES = 2 ** 22;

/**
 * Answers of a classifier: the probabilities of one text, or the row of one of its tokens. Without a rule a row is what the graph answers.
 * `int8Size`: batches of the graph in 8 bits, where they differ. `buckets`: of a graph that masks what fills its texts up.
 */
export function inferenceQueue(
  pool: InferencePool,
  wiring: Wiring,
  rule: OutputRule | undefined,
  size: BatchSize,
  int8Size = size,
  buckets?: LengthBuckets,
): InferenceQueue {
  const { features } = wiring;
  const { ids = 16_384 } = size;
  const sizeOf = ({ int8 = false }: EncodedText) => (int8 ? int8Size : size);
  pool.configure({ wiring, rule } satisfies InferenceSetting);
  // Rows of features are all of one length, whatever encodes them.
  const length = ({ ids: { length: own }, int8 = false }: EncodedText) =>
    features === undefined ? filledLength(own, int8 ? undefined : buckets) : 0;
  return new BatchQueue(pool, {
    length,
    kind: ({ int8 = false }) => Number(int8),
    least: (text) => sizeOf(text).least,
    largest: Math.max(size.most, int8Size.most),
    most: (text) => Math.max(1, Math.min(sizeOf(text).most, Math.floor(room(length(text))))),
    request: (texts) => batchOf(texts, features !== undefined, buckets),
    result: ({ rows: values }, row, rows) => {
      const width = values.length / rows;
      return values.subarray(row * width, (row + 1) * width);
    },
  });

  function room(tokens: number): number {
    return features === undefined ? ids / Math.max(1, tokens) : MAX_BATCH_FEATURES / features;
  }
}

const filledLength = (own: number, buckets: LengthBuckets | undefined): number =>
  buckets === undefined ? own : Math.max(own, Math.min(buckets.most, Math.ceil(own / buckets.tokens) * buckets.tokens));

/** Texts of one length, or bucket, and one precision. */
export function batchOf(texts: readonly EncodedText[], features: boolean, buckets?: LengthBuckets): Batch {
  const [first] = texts;
  const int8 = first?.int8 ? { int8: true } : {};
  if (features) return { features: texts.map(({ ids }) => ids), ...int8 };
  if (first?.text !== undefined && first.ids.length === 0)
    return { strings: texts.map(({ text = '' }) => text), ...int8 };
  const length = filledLength(first?.ids.length ?? 0, first?.int8 ? undefined : buckets);
  const ids = new Int32Array(texts.length * length).fill(buckets?.padId ?? 0);
  const types = texts.some((text) => text.types) ? new Int32Array(ids.length) : undefined;
  texts.forEach((text, row) => {
    ids.set(text.ids, row * length);
    if (text.types) types?.set(text.types, row * length);
  });
  const at = first?.at === undefined ? {} : { at: Int32Array.from(texts, (text) => must(text.at)) };
  return { ids, texts: texts.length, length, types, ...at, ...int8 };
}
