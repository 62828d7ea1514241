/** @file The clean pass on workers: answers come in any order, and are kept in that of the data set. */
import type { Example } from '../core/dataset.js';
import type { AnswerFile, RunHooks } from '../run/index.js';
import { jobsAhead } from './dispatcher.js';
import type { Delivery, FleetTask } from './messages.js';
import { PartSizes } from './part-sizes.js';
import { CRASHED, differing, examplesOf, type FleetProgress, type Phase, segmentOf, Unasked } from './phase.js';
import { divided, stretches, TakenRanges } from './ranges.js';
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

export class AnswerPhase implements Phase {
  readonly kind = 'answers';
  readonly #work: AnswerWork;
  readonly #total: number;
  readonly #resumed: number;
  readonly #began = performance.now();
  /** Rows that are there and not yet in the file, by index. */
  readonly #waiting = new Map<number, Float32Array>();
  readonly #taken = new TakenRanges();
  readonly #sizes = new PartSizes();
  #cursor: number;

  constructor(work: AnswerWork) {
    this.#work = work;
    this.#total = work.segments.at(-1)?.to ?? 0;
    this.#resumed = work.answers.count;
    this.#cursor = this.#resumed;
  }

  async next(slots: number): Promise<FleetTask | undefined> {
    await this.append();
    this.#cursor = this.#taken.past(this.#cursor);
    if (this.#cursor >= this.#total) return undefined;
    // One job that takes long must not have the answers after it pile up in memory.
    if (this.#cursor - this.#work.answers.count > 2 * jobsAhead(slots) * SEGMENT) return undefined;
    const from = this.#cursor;
    const size = Math.max(LEAST, this.#sizes.next(this.#total - from, slots));
    this.#cursor = Math.min(from + size, segmentOf(this.#work.segments, from).to, this.#taken.after(from));
    return this.#task({ from, to: this.#cursor });
  }

  taken(task: FleetTask): void {
    if (task.kind === 'answers') this.#taken.add(task);
  }

  rest(task: FleetTask): FleetTask[] {
    const missing = (index: number): boolean => index >= this.#work.answers.count && !this.#waiting.has(index);
    return task.kind === 'answers' ? stretches(task, missing).map((range) => this.#task(range)) : [];
  }

  async broken(task: FleetTask): Promise<FleetTask[]> {
    if (task.kind !== 'answers') return [];
    if (task.to - task.from > 1) return divided(task).map((range) => this.#task(range));
    this.#waiting.set(task.from, new Float32Array(this.#work.labels).fill(Number.NaN));
    this.#work.hooks.warn?.(`the model could not answer example ${task.from}: ${CRASHED}`);
    return [];
  }

  receive(head: Delivery, product: Buffer): void {
    const { answers, labels, hooks } = this.#work;
    const { task, state, unanswered } = head;
    if (task.kind !== 'answers') throw new Unasked('expected answers');
    const rows = readRows(product, labels);
    if (task.to > this.#total || (state !== 'crashed' && rows.length !== task.to - task.from))
      throw new Unasked(`expected ${task.to - task.from} rows, got ${rows.length}`);
    for (const [at, row] of rows.entries()) {
      const index = task.from + at;
      const known = this.#waiting.get(index) ?? (index < answers.count ? answers.read(index).row : undefined);
      if (known === undefined) this.#waiting.set(index, row);
      else if (!alike(known, row)) throw differing(`the answer to example ${index}`, 'an earlier worker', head);
    }
    this.#sizes.measured(rows.length, head.seconds.clean ?? 0);
    if (unanswered && unanswered.count > 0) hooks.debug?.(`unanswered: ${unanswered.first}`);
  }

  /** Puts into the file what is there of the rows that it lacks next. */
  async append(): Promise<void> {
    const { answers, segments, store, hooks, progress } = this.#work;
    while (this.#waiting.has(answers.count)) {
      const from = answers.count;
      const segment = segmentOf(segments, from);
      const examples = await examplesOf(store, segment);
      const batch: { example: Example; row: Float32Array }[] = [];
      for (let index = from; index < segment.to; index++) {
        const row = this.#waiting.get(index);
        if (row === undefined) break;
        this.#waiting.delete(index);
        batch.push({ example: examples[index - segment.from] as Example, row });
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

  #task({ from, to }: { readonly from: number; readonly to: number }): FleetTask {
    return { kind: 'answers', from, to, texts: segmentOf(this.#work.segments, from).texts };
  }
}

/** The same bytes: NaN stands for no answer. */
const alike = (a: Float32Array, b: Float32Array): boolean =>
  a.length === b.length && a.every((value, at) => Object.is(value, b[at]));
