/** @file What a phase of a run is to those who give its tasks out and take what comes of them. */
import type { Example } from '../core/dataset.js';
import { RobustError } from '../core/errors.js';
import { type Delivery, type FleetTask, machineName } from './messages.js';
import { type DataSegment, readExamples, SEGMENT } from './segments.js';
import type { FolderStore } from './store.js';

/** What is to be done, and what of it is. */
export interface Phase {
  readonly kind: FleetTask['kind'];
  /** The next task that was not given out yet, where so many jobs can run at once; undefined where there is none now: if none is under way either, none will come. */
  next(slots: number): Promise<FleetTask | undefined>;
  /** A task that an earlier coordinator of the run gave out: `next` passes it over. */
  taken(task: FleetTask): void;
  /** What of a task is not done yet. */
  rest(task: FleetTask): FleetTask[];
  /** Smaller tasks instead of one that takes workers down; none where it could be no smaller, and was noted as an error. */
  broken(task: FleetTask): Promise<FleetTask[]>;
  /** Keeps what came of a task. Throws Unasked for what did not, Differs for something else than what is kept. */
  receive(head: Delivery, product: Buffer): void;
}

/** How far a run is: answers in the clean pass, then outcomes. */
export interface FleetProgress {
  stage: 'clean' | 'attack';
  done: number;
  total: number;
  /** Outcomes that were found twice. */
  repeated: number;
  /** Of `done` a second, of late. */
  rate: number;
}

/** Said of what took workers down until it could be made no smaller. */
export const CRASHED = 'it took its worker down again and again';

/** Another machine found something else. */
export class Differs extends RobustError {}

/** A delivery that no task of this run asked for. */
export class Unasked extends RobustError {
  constructor(message: string) {
    super(message, { code: 'QUEUE_MESSAGE' });
  }
}

export const differing = (what: string, other: string, { machine }: Delivery): Differs =>
  new Differs(`${what}: ${machineName(machine)} found something else than ${other}`, {
    code: 'NOT_DETERMINISTIC',
    hint: 'The same work must give the same bytes: do processors, versions of onnxruntime or the memory of these machines differ? Run on machines of one kind.',
  });

/** The segment that an example of the run is in. */
export const segmentOf = (segments: readonly DataSegment[], index: number): DataSegment =>
  segments[Math.floor(index / SEGMENT)] as DataSegment;

export const examplesOf = async (store: FolderStore, { texts }: Pick<DataSegment, 'texts'>): Promise<Example[]> =>
  readExamples(await store.bytes(texts));
