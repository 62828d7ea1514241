/** @file A phase of a run: its jobs, and their deliveries. */
import type { Example } from '../core/dataset.js';
import { RobustError } from '../core/errors.js';
import { JobSizes } from './job-sizes.js';
import { type Delivery, type FleetJob, machineName } from './messages.js';
import type { IndexRange } from './ranges.js';
import { type DataSegment, readExamples, SEGMENT } from './segments.js';
import type { FolderStore } from './store.js';

/** The jobs of a phase, and the state of each. */
export interface Phase {
  readonly kind: FleetJob['kind'];
  /**
   * The next job that was not given out yet, if `slots` can run at once; or undefined for now. If no job is running either, no more will
   * come.
   */
  next(slots: number): Promise<FleetJob | undefined>;
  /** A job that an earlier coordinator of the run gave out: `next` passes it over. */
  onTaken(job: FleetJob): void;
  /** The parts of a job that are not done yet. */
  rest(job: FleetJob): FleetJob[];
  /** Smaller jobs instead of one that takes workers down; none where it could be no smaller, and was noted as an error. */
  splitJob(job: FleetJob): Promise<FleetJob[]>;
  /** Keeps what came of a job. Throws RobustError: QUEUE_DAMAGED for what did not, NOT_DETERMINISTIC for something else than what is kept. */
  receive(head: Delivery, product: Buffer): void;
}

/** A phase that gives the examples of the run out in ranges, by what they cost. */
export abstract class RangePhase {
  readonly #segments: readonly DataSegment[];
  /** Jobs of an earlier coordinator of the run. */
  readonly #taken: IndexRange[] = [];
  protected readonly sizes = new JobSizes();
  /** Every example before it is done or in a job. */
  protected cursor = 0;

  constructor(segments: readonly DataSegment[]) {
    this.#segments = segments;
  }

  /** Whether something is still to be done for an example. */
  protected abstract lacks(index: number): boolean;

  /** The examples of the next job, within one segment: at least `least`, unless fewer remain. */
  protected nextRange(slots: number, least = 1): IndexRange | undefined {
    const total = this.#segments.at(-1)?.to ?? 0;
    for (;;) {
      const earlier = this.#taken.find(({ from, to }) => from <= this.cursor && this.cursor < to);
      if (earlier !== undefined) this.cursor = earlier.to;
      else if (this.cursor < total && !this.lacks(this.cursor)) this.cursor++;
      else break;
    }
    if (this.cursor >= total) return undefined;
    const from = this.cursor;
    const size = Math.max(least, this.sizes.next(total - from, slots));
    const later = this.#taken.map((range) => range.from).filter((start) => start > from);
    this.cursor = Math.min(from + size, this.segmentOf(from).to, ...later);
    return { from, to: this.cursor };
  }

  onTaken(job: FleetJob): void {
    if (job.kind !== 'prepare') this.#taken.push(job);
  }

  protected segmentOf(index: number): DataSegment {
    return this.#segments[Math.floor(index / SEGMENT)]!;
  }
}

/** How far a run is: answers in the clean pass, then outcomes. */
export interface FleetProgress {
  stage: 'clean' | 'attack';
  done: number;
  total: number;
  /** Outcomes that were found twice. */
  repeated: number;
  /** Recent increase of `done` a second. */
  rate: number;
}

/** The error of a job that took workers down and cannot be divided further. */
export const CRASHED = 'it took its worker down again and again';

/** A delivery that no job of this run asked for. */
export const unexpected = (message: string): RobustError => new RobustError(message, { code: 'QUEUE_DAMAGED' });

export const differenceError = (what: string, other: string, { machine }: Delivery): RobustError =>
  new RobustError(`${what}: ${machineName(machine)} found something else than ${other}`, {
    code: 'NOT_DETERMINISTIC',
    hint: 'The same work must give the same bytes. Check whether processors, onnxruntime versions or memory differ, and use machines of one kind.',
  });

export const examplesOf = async (store: FolderStore, { texts }: Pick<DataSegment, 'texts'>): Promise<Example[]> =>
  readExamples(await store.bytes(texts));
