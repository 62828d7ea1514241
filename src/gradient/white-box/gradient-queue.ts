/**
 * @file The queue between all searches and the seats. What is asked waits in groups of equal kind and token count, so that
 * batches need no padding and an answer is bitwise the same whatever its company.
 */
import { ModelCrashedError, ModelError } from '../../core/errors.js';
import type { EmbeddingAnswer } from './embedding-model.js';
import { batchOf, type Question, rowOf } from './question.js';
import type { Seat } from './seat.js';

/** Batches a seat holds at once: the next one waits at its door while it computes. */
const IN_FLIGHT = 2;
/** Texts in one batch: more gain nothing a text. */
const TEXTS = 16;
/** Embedding values in one batch: bounds the memory of intermediate results (256 tokens of a DistilBERT need 200 MB). */
const VALUES = 256 * 768;

interface Waiting extends Question {
  /** Its batch failed: it runs without company, so that only the culprit is told. */
  readonly alone: boolean;
  resolve(answer: EmbeddingAnswer): void;
  reject(error: unknown): void;
}

const noneLeft = (): ModelError => new ModelError('no gradient worker is left', { code: 'MODEL_RUN_FAILED' });

export class GradientQueue {
  readonly #seats: readonly Seat[];
  readonly #largest: number;
  readonly #fixed: number | undefined;
  /** In the order their first question came. */
  readonly #groups = new Map<string, Waiting[]>();
  #scheduled = false;
  #questions = 0;
  #batches = 0;

  /** `alone`: every text by itself, for models whose rows depend on their company. `fixed`: texts a run must have. */
  constructor(
    seats: readonly Seat[],
    { alone, fixed }: { readonly alone: boolean; readonly fixed: number | undefined },
  ) {
    this.#seats = seats;
    this.#largest = alone ? 1 : (fixed ?? TEXTS);
    this.#fixed = fixed;
  }

  /** Questions per batch so far. */
  get meanBatch(): number {
    return this.#batches === 0 ? 0 : this.#questions / this.#batches;
  }

  ask(question: Question): Promise<EmbeddingAnswer> {
    return new Promise((resolve, reject) => {
      this.#add({ ...question, alone: false, resolve, reject });
    });
  }

  #add(waiting: Waiting): void {
    const company = waiting.alone ? ` alone ${this.#batches} ${this.#groups.size}` : '';
    const key = `${waiting.target ? 'gradient' : 'answer'} ${waiting.ids.length}${company}`;
    const group = this.#groups.get(key);
    if (group === undefined) this.#groups.set(key, [waiting]);
    else group.push(waiting);
    this.#wake();
  }

  /** Lets callers of this tick meet, then sends. */
  #wake(): void {
    if (this.#scheduled || this.#groups.size === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#dispatch();
    });
  }

  #dispatch(): void {
    const crash = this.#seats.find(({ lost }) => lost instanceof ModelCrashedError)?.lost;
    if (crash) {
      this.#fail(crash);
      return;
    }
    for (const [key, group] of this.#groups) {
      while (group.length > 0) {
        const seat = this.#free();
        if (seat === undefined) {
          if (this.#seats.every(({ lost }) => lost)) this.#fail(noneLeft());
          return;
        }
        const idle = this.#seats.filter(({ busy, lost }) => busy === 0 && !lost).length;
        const share = Math.ceil(group.length / Math.max(1, idle));
        void this.#send(seat, group.splice(0, Math.min(this.#limit(group), share)));
      }
      this.#groups.delete(key);
    }
  }

  #free(): Seat | undefined {
    const free = this.#seats.filter(({ busy, lost }) => !lost && busy < IN_FLIGHT);
    return free.sort((a, b) => a.busy - b.busy)[0];
  }

  #limit([first]: readonly Waiting[]): number {
    const size = Math.max(1, (first as Waiting).embeddings.length);
    return Math.min(this.#largest, Math.max(1, Math.floor(VALUES / size)));
  }

  async #send(seat: Seat, texts: readonly Waiting[]): Promise<void> {
    this.#questions += texts.length;
    this.#batches++;
    try {
      const answer = await seat.run(batchOf(texts, this.#fixed ?? texts.length));
      texts.forEach((text, row) => {
        text.resolve(rowOf(answer, row, this.#fixed ?? texts.length));
      });
    } catch (error) {
      const [only] = texts;
      if (error instanceof ModelCrashedError) for (const { reject } of texts) reject(error);
      else if (only?.alone || (texts.length === 1 && !seat.lost)) only?.reject(error);
      else for (const text of texts) this.#add({ ...text, alone: true });
    }
    this.#wake();
  }

  #fail(error: ModelError): void {
    for (const group of this.#groups.values()) for (const { reject } of group) reject(error);
    this.#groups.clear();
  }
}
