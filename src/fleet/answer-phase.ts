/** @file The clean pass on workers: answers come in any order, and are kept in that of the data set. */
import type { Example } from '../core/dataset.js';
import { quantity } from '../core/figure-text.js';
import type { AnswerFile, RunHooks } from '../run/index.js';
import { jobsAhead } from './dispatcher.js';
import type { Delivery, FleetJob } from './messages.js';
import {
  CRASHED,
  differenceError,
  examplesOf,
  type FleetProgress,
  type Phase,
  RangePhase,
  unexpected,
} from './phase.js';
import { divide, type IndexRange, rangesWhere } from './ranges.js';
import { type DataSegment, readRows, SEGMENT } from './segments.js';
import type { FolderStore } from './store.js';

/** Answers cost little: fewer of them are not worth a job's way. */
const LEAST = 64;

export interface AnswerWork {
  readonly answers: AnswerFile;
  readonly segments: readonly DataSegment[];
  readonly store: FolderStore;
  readonly labels: number;
  readonly hooks: RunHooks;
  readonly progress: FleetProgress;
}

export class AnswerPhase extends RangePhase implements Phase {
  readonly kind = 'answers';
  readonly #work: AnswerWork;
  readonly #total: number;
  readonly #resumed: number;
  readonly #began = performance.now();
  /** Rows that are there and not yet in the file, by index. */
  readonly #waiting = new Map<number, Float32Array>();

  constructor(work: AnswerWork) {
    super(work.segments);
    this.#work = work;
    this.#total = work.segments.at(-1)?.to ?? 0;
    this.#resumed = work.answers.count;
    this.cursor = this.#resumed;
  }

  protected override lacks(index: number): boolean {
    return index >= this.#work.answers.count && !this.#waiting.has(index);
  }

  async next(slots: number): Promise<FleetJob | undefined> {
    await this.append();
    // One job that takes long must not have the answers after it pile up in memory.
    if (this.cursor - this.#work.answers.count > 2 * jobsAhead(slots) * SEGMENT) return undefined;
    const range = this.nextRange(slots, LEAST);
    return range && this.#job(range);
  }

  rest(job: FleetJob): FleetJob[] {
    if (job.kind !== 'answers') return [];
    return rangesWhere(job, (index) => this.lacks(index)).map((range) => this.#job(range));
  }

  async splitJob(job: FleetJob): Promise<FleetJob[]> {
    if (job.kind !== 'answers') return [];
    if (job.to - job.from > 1) return divide(job).map((range) => this.#job(range));
    this.#waiting.set(job.from, new Float32Array(this.#work.labels).fill(Number.NaN));
    this.#work.hooks.warn?.(`the model could not answer example ${job.from}: ${CRASHED}`);
    return [];
  }

  receive(head: Delivery, product: Buffer): void {
    const { labels, hooks } = this.#work;
    const { job, state, unanswered } = head;
    if (job.kind !== 'answers') throw unexpected('expected answers');
    const rows = readRows(product, labels);
    const complete = state === 'crashed' || rows.length === job.to - job.from;
    if (!complete || job.to > this.#total)
      throw unexpected(`expected ${quantity(job.to - job.from, 'row')}, got ${rows.length}`);
    for (const [at, row] of rows.entries()) {
      const index = job.from + at;
      const known = this.#rowOf(index);
      if (known === undefined) this.#waiting.set(index, row);
      else if (!alike(known, row)) throw differenceError(`the answer to example ${index}`, 'an earlier worker', head);
    }
    this.sizes.record(rows.length, head.seconds.clean ?? 0);
    if (unanswered && unanswered.count > 0) hooks.debug?.(`unanswered: ${unanswered.first}`);
  }

  #rowOf(index: number): Float32Array | undefined {
    const { answers } = this.#work;
    return this.#waiting.get(index) ?? (index < answers.count ? answers.read(index).row : undefined);
  }

  /** Puts into the file what is there of the rows that it lacks next. */
  async append(): Promise<void> {
    const { answers, store, hooks, progress } = this.#work;
    while (this.#waiting.has(answers.count)) {
      const from = answers.count;
      const segment = this.segmentOf(from);
      const examples = await examplesOf(store, segment);
      const batch: { example: Example; row: Float32Array }[] = [];
      for (let index = from; index < segment.to; index++) {
        const row = this.#waiting.get(index);
        if (row === undefined) break;
        this.#waiting.delete(index);
        batch.push({ example: examples[index - segment.from]!, row });
      }
      answers.append(batch);
      const done = answers.count;
      Object.assign(progress, { stage: 'clean', done, total: this.#total });
      hooks.progress?.({
        ...{ stage: 'clean', done, total: this.#total, resumed: this.#resumed, succeeded: 0, attacked: 0 },
        asked: done - this.#resumed,
        seconds: (performance.now() - this.#began) / 1000,
      });
    }
  }

  #job({ from, to }: IndexRange): FleetJob {
    return { kind: 'answers', from, to, texts: this.segmentOf(from).texts };
  }
}

/** Whether the bytes are equal; NaN means no answer. */
const alike = (a: Float32Array, b: Float32Array): boolean =>
  a.length === b.length && a.every((value, at) => Object.is(value, b[at]));
