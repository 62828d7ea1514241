/**
 * @file The queue between all searches and the workers. Texts wait in groups of equal token count: such batches need no
 * padding, and each text's row is bitwise the same whatever company it has. So answers never depend on who asks when.
 */
import { ModelCrashedError, type ModelError } from '../core/errors.js';
import type { OutputRule } from './activation.js';
import type { WorkerPool } from './pool.js';
import type { Batch, Wiring } from './session.js';

/** After this many batches of others a waiting group goes first, however small it is. */
const PATIENCE = 16;
/** Token ids in one batch, unless said otherwise: bounds the memory of long texts. */
const LARGEST = 16_384;
/** Features in one batch: 16 MB. */
const MOST_FEATURES = 2 ** 22;

interface Waiting {
  readonly text: string;
  readonly ids: Int32Array;
  /** The token whose row is wanted, of graphs that answer each token. */
  readonly at: number | undefined;
  /** To be run without company: its batch failed, and only the culprit shall. */
  readonly alone: boolean;
  resolve(row: Float32Array): void;
  reject(error: ModelError): void;
}

interface Group {
  readonly length: number;
  readonly texts: Waiting[];
  /** Number of the batch that was next when the group came to be. */
  since: number;
}

export interface BatchSize {
  /** Smaller batches are filled up with copies of their first text. */
  readonly least: number;
  readonly most: number;
  /** Most token ids. @default 16384 */
  readonly ids?: number;
}

export class InferenceQueue {
  readonly #pool: WorkerPool;
  readonly #size: BatchSize;
  /** Columns of a row, where texts are rows of features: they are all of one length. */
  readonly #features: number | undefined;
  readonly #groups = new Map<number, Group>();
  #waiting = 0;
  /** Key of the latest group of one text that must run alone: below all lengths, never used twice. */
  #lonely = 0;
  #scheduled = false;
  #batches = 0;
  #computed = 0;
  #idsRun = 0;
  #idsWasted = 0;

  /** `pool` must call `wake` whenever a worker is free. Without a rule a row is what the graph answers. */
  constructor(pool: WorkerPool, wiring: Wiring, rule: OutputRule | undefined, size: BatchSize) {
    this.#pool = pool;
    pool.configure(wiring, rule);
    this.#size = size;
    this.#features = wiring.features;
  }

  get figures() {
    return {
      computed: this.#computed,
      batches: this.#batches,
      meanBatch: this.#batches === 0 ? 0 : this.#computed / this.#batches,
      paddingWaste: this.#idsRun === 0 ? 0 : this.#idsWasted / this.#idsRun,
      secondsBusy: this.#pool.busy,
    };
  }

  /** The probabilities of one text; with `at`, the row of that token. */
  ask(text: string, ids: Int32Array, at?: number): Promise<Float32Array> {
    return new Promise((resolve, reject) => {
      this.#add({ text, ids, at, alone: false, resolve, reject });
    });
  }

  /** Lets callers of this tick meet, then sends. */
  readonly wake = (): void => {
    if (this.#scheduled || this.#waiting === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#dispatch();
    });
  };

  #add(waiting: Waiting): void {
    const length = this.#features === undefined ? waiting.ids.length : 0;
    // Texts that must run without company form groups of their own, which no length collides with.
    const key = waiting.alone ? --this.#lonely : length;
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = { length, texts: [], since: this.#batches };
      this.#groups.set(key, group);
    }
    group.texts.push(waiting);
    this.#waiting++;
    this.wake();
  }

  #dispatch(): void {
    // Batches no idle worker was there for. A lone query never opens a second worker.
    let crowded = 0;
    while (this.#waiting > 0 && this.#pool.free) {
      if (this.#pool.idle === 0) crowded++;
      const [key, group] = this.#next();
      const share = Math.ceil(this.#waiting / Math.max(1, this.#pool.idle));
      const texts = group.texts.splice(0, Math.min(this.#limit(group.length), share));
      if (group.texts.length === 0) this.#groups.delete(key);
      else group.since = this.#batches;
      this.#waiting -= texts.length;
      this.#batches++;
      this.#send(texts, group.length);
    }
    this.#pool.grow(crowded + Math.ceil(this.#waiting / this.#size.most));
    if (this.#waiting > 0 && this.#pool.dead) {
      for (const { texts } of this.#groups.values()) for (const text of texts) text.reject(this.#pool.lost());
      this.#groups.clear();
      this.#waiting = 0;
    }
  }

  /** The fullest group, of equals the oldest; one that has waited too long before all. */
  #next(): [number, Group] {
    let best: [number, Group] | undefined;
    for (const entry of this.#groups) {
      const [, group] = entry;
      if (this.#batches - group.since > PATIENCE) return entry;
      if (best === undefined || this.#fill(group) > this.#fill(best[1])) best = entry;
    }
    return best as [number, Group];
  }

  #fill(group: Group): number {
    return Math.min(group.texts.length, this.#limit(group.length));
  }

  #limit(length: number): number {
    const room =
      this.#features === undefined ? (this.#size.ids ?? LARGEST) / Math.max(1, length) : MOST_FEATURES / this.#features;
    return Math.max(1, Math.min(this.#size.most, Math.floor(room)));
  }

  #send(texts: readonly Waiting[], length: number): void {
    const rows = Math.max(texts.length, this.#size.least);
    this.#pool.send({
      batch:
        this.#features === undefined
          ? makeBatch(texts, length, rows)
          : { features: filled(texts, rows).map(({ ids }) => ids) },
      done: ({ rows: values }) => {
        const width = values.length / rows;
        this.#computed += texts.length;
        this.#idsRun += rows * length;
        this.#idsWasted += (rows - texts.length) * length;
        texts.forEach((text, at) => {
          text.resolve(values.subarray(at * width, (at + 1) * width));
        });
      },
      failed: (error) => {
        const [only] = texts;
        if (error instanceof ModelCrashedError) for (const text of texts) text.reject(error);
        else if (texts.length === 1) only?.reject(error);
        else for (const text of texts) this.#add({ ...text, alone: true });
      },
      again: () => {
        for (const text of texts) this.#add(text);
      },
    });
  }
}

/** `rows` may exceed the texts: the first text then fills up. */
const filled = (texts: readonly Waiting[], rows: number): Waiting[] =>
  Array.from({ length: rows }, (_, at) => texts[at] ?? (texts[0] as Waiting));

function makeBatch(texts: readonly Waiting[], length: number, rows: number): Batch {
  const all = filled(texts, rows);
  if (length === 0) return { strings: all.map(({ text }) => text) };
  const ids = new Int32Array(rows * length);
  all.forEach((text, at) => {
    ids.set(text.ids, at * length);
  });
  const at = all[0]?.at === undefined ? {} : { at: Int32Array.from(all, (text) => text.at as number) };
  return { ids, texts: rows, length, ...at };
}
