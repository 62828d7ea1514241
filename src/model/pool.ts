/**
 * @file Workers that run a model. onnxruntime's run() blocks the thread that calls it, so every session has a thread (or, isolated,
 * a process) of its own, and as many run side by side as there are cores.
 */
import { ModelCrashedError, type ModelError } from '../core/errors.js';
import type { OutputRule } from './activation.js';
import { loadFailure, runFailure } from './failures.js';
import { type Host, startHost } from './host.js';
import type { Batch, Ports, Wiring } from './session.js';
import type { FromWorker, ToWorker, WorkerData } from './worker.js';

/** Batches a worker holds at once: the next one waits at its door while it computes, which hides the hand-over. */
const IN_FLIGHT = 2;

export interface Answer {
  /** Row-major [texts, columns]. */
  readonly rows: Float32Array;
  /** Columns of the graph's own output. */
  readonly width: number;
  /** Of one text's part of the output. */
  readonly shape: readonly number[];
}

/** A batch on its way, and what to do with its end. */
export interface Job {
  readonly batch: Batch;
  done(answer: Answer): void;
  failed(error: ModelError): void;
  /** The worker died before it began this batch: nobody's fault, ask again. */
  again(): void;
}

interface Seat {
  readonly host: Host<ToWorker>;
  /** In the order they were sent, which is the order they are answered in. */
  readonly jobs: Map<number, Job>;
}

interface PoolOptions {
  /** The .onnx file. */
  readonly model: string;
  /** Most workers. */
  readonly size: number;
  /** Each worker in a process of its own: where onnxruntime crashes, the pool ends with MODEL_CRASHED instead of this process. @default false */
  readonly isolate?: boolean;
  /** Called whenever a worker could take another batch, or none ever will. */
  readonly onFree: () => void;
  /** Throws ModelError where the model's files are no longer those the first worker loaded. */
  readonly check: () => Promise<void>;
}

export class WorkerPool {
  readonly #data: WorkerData;
  readonly #name: string;
  readonly #size: number;
  readonly #isolate: boolean;
  readonly #onFree: () => void;
  readonly #check: () => Promise<void>;
  readonly #seats = new Set<Seat>();
  /** All that live, those still opening too. */
  readonly #hosts = new Set<Host<ToWorker>>();
  #setting: ToWorker | undefined;
  #opening = 0;
  #sent = 0;
  #closed = false;
  /** Why the last worker could not be opened, or what took one down. */
  #broken: ModelError | undefined;
  /** Seconds the sessions have spent computing, all workers together. */
  busy = 0;

  constructor({ model, size, isolate = false, onFree, check }: PoolOptions) {
    this.#data = { model };
    this.#name = model;
    this.#size = size;
    this.#isolate = isolate;
    this.#onFree = onFree;
    this.#check = check;
  }

  /** Opens one more worker. Throws ModelError where the model cannot be loaded. */
  async open(): Promise<Ports> {
    let ready = (_: Ports): void => {};
    let refused = (_: ModelError): void => {};
    const loaded = new Promise<Ports>((resolve, reject) => {
      ready = resolve;
      refused = reject;
    });
    let seat: Seat | undefined;
    const host = startHost<ToWorker, FromWorker>({
      file: 'model/worker.js',
      data: this.#data,
      isolate: this.#isolate,
      model: this.#name,
      onMessage: (message) => {
        if ('ready' in message) ready(message.ready);
        else if ('failed' in message) refused(loadFailure(this.#name, message.failed));
        else if (seat) this.#answer(seat, message);
      },
    });
    const failure = (cause: Error): ModelError =>
      cause instanceof ModelCrashedError ? cause : loadFailure(this.#name, cause.message, cause);
    void host.ended.then((cause) => {
      this.#hosts.delete(host);
      refused(failure(cause));
      if (seat) this.#lose(seat, cause);
    });
    this.#hosts.add(host);
    this.#opening++;
    try {
      const ports = await loaded;
      await this.#check();
      if (this.#closed || this.#broken instanceof ModelCrashedError) throw this.lost();
      // It may have died meanwhile.
      if (!this.#hosts.has(host)) throw failure(await host.ended);
      seat = { host, jobs: new Map() };
      this.#seats.add(seat);
      if (this.#setting) host.post(this.#setting);
      // An idle worker must not keep the process alive.
      host.unref();
      return ports;
    } catch (error) {
      void host.close();
      throw error;
    } finally {
      this.#opening--;
    }
  }

  /** Open workers that have nothing to do. */
  get idle(): number {
    let idle = 0;
    for (const { jobs } of this.#seats) if (jobs.size === 0) idle++;
    return idle;
  }

  /** Can another batch be sent now? */
  get free(): boolean {
    const seat = this.#least();
    return seat !== undefined && seat.jobs.size < IN_FLIGHT;
  }

  /** How all batches from now on are run; without a rule the raw output is the answer. */
  configure(wiring: Wiring, rule?: OutputRule): void {
    this.#setting = { wiring, rule };
    for (const { host } of this.#seats) host.post(this.#setting);
  }

  /** Opens up to `wanted` more workers, as far as the pool's size allows and the model can still be loaded. */
  grow(wanted: number): void {
    const room = this.#size - this.#seats.size - this.#opening;
    const more = this.#closed || this.#broken ? 0 : Math.min(room, wanted - this.#opening);
    for (let count = 0; count < more; count++) {
      this.open().then(this.#onFree, (error: ModelError) => {
        if (error instanceof ModelCrashedError) this.#crash(error, [...this.#seats]);
        else this.#broken ??= error;
        this.#onFree();
      });
    }
  }

  /** None is there and none is coming. */
  get dead(): boolean {
    return this.#seats.size === 0 && this.#opening === 0;
  }

  /** Why nothing runs any more, once `dead`. */
  lost(): ModelError {
    return this.#broken ?? runFailure(this.#name, this.#closed ? 'it was closed' : 'no worker is left');
  }

  send(job: Job): void {
    const seat = this.#least();
    if (seat === undefined) {
      job.failed(this.lost());
      return;
    }
    const id = this.#sent++;
    if (seat.jobs.size === 0) seat.host.ref();
    seat.jobs.set(id, job);
    const message: ToWorker = { id, batch: job.batch };
    seat.host.post(message);
  }

  /** Ends the workers: threads after the batch they are running, processes at once. */
  async close(): Promise<void> {
    this.#closed = true;
    const seats = [...this.#seats];
    this.#seats.clear();
    for (const { jobs } of seats) for (const job of jobs.values()) job.failed(this.lost());
    await Promise.all([...this.#hosts].map((host) => host.close()));
  }

  #least(): Seat | undefined {
    let least: Seat | undefined;
    for (const seat of this.#seats) if (least === undefined || seat.jobs.size < least.jobs.size) least = seat;
    return least;
  }

  #answer(seat: Seat, message: Extract<FromWorker, { id: number }>): void {
    const job = seat.jobs.get(message.id);
    seat.jobs.delete(message.id);
    // While closing, the end of the thread is waited for.
    if (seat.jobs.size === 0 && !this.#closed) seat.host.unref();
    if (job === undefined) return;
    if ('error' in message) job.failed(runFailure(this.#name, message.error));
    else {
      this.busy += message.seconds;
      job.done(message);
    }
    this.#onFree();
  }

  /**
   * An error that ends a thread costs the batch that was running; those behind it are asked again of another worker. Where a process
   * went down, what this model answers is not to be trusted, and whoever waits for it is told.
   */
  #lose(seat: Seat, cause: Error): void {
    if (!this.#seats.delete(seat)) return;
    if (cause instanceof ModelCrashedError) this.#crash(cause, [seat, ...this.#seats]);
    else {
      const [running, ...waiting] = seat.jobs.values();
      seat.jobs.clear();
      running?.failed(runFailure(this.#name, `its worker crashed: ${cause.message}`));
      for (const job of waiting) job.again();
    }
    this.#onFree();
  }

  #crash(cause: ModelCrashedError, seats: readonly Seat[]): void {
    if (!(this.#broken instanceof ModelCrashedError)) this.#broken = cause;
    this.#seats.clear();
    for (const host of this.#hosts) void host.close();
    for (const { jobs } of seats) {
      for (const job of jobs.values()) job.failed(cause);
      jobs.clear();
    }
  }
}
