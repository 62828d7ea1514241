/**
 * @file Worker threads that run a model. onnxruntime's run() blocks the thread that calls it, so every session has a thread
 * of its own, and as many run side by side as there are cores.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ModelError } from '../core/errors.js';
import { packageRoot } from '../core/package-root.js';
import type { OutputRule } from './activation.js';
import { loadFailure, runFailure } from './failures.js';
import type { Batch, Ports, Wiring } from './session.js';
import type { FromWorker, ToWorker, WorkerData } from './worker.js';

/** Batches a worker holds at once: the next one waits at its door while it computes, which hides the hand-over. */
const IN_FLIGHT = 2;

const CLOSE: ToWorker = { close: true };

export interface Answer {
  /** Row-major [texts, columns]. */
  readonly rows: Float32Array;
  /** Columns of the graph's own output. */
  readonly width: number;
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
  readonly worker: Worker;
  /** In the order they were sent, which is the order they are answered in. */
  readonly jobs: Map<number, Job>;
}

interface PoolOptions {
  /** The .onnx file. */
  readonly model: string;
  /** Most workers. */
  readonly size: number;
  /** Called whenever a worker could take another batch, or none ever will. */
  readonly onFree: () => void;
  /** Throws ModelError where the model's files are no longer those the first worker loaded. */
  readonly check: () => Promise<void>;
}

export class WorkerPool {
  readonly #data: WorkerData;
  readonly #name: string;
  readonly #size: number;
  readonly #onFree: () => void;
  readonly #check: () => Promise<void>;
  readonly #seats = new Set<Seat>();
  /** Threads that live, those still opening too, and their ends. */
  readonly #threads = new Map<Worker, Promise<void>>();
  #setting: ToWorker | undefined;
  #opening = 0;
  #sent = 0;
  #closed = false;
  /** Why the last worker could not be opened. */
  #broken: ModelError | undefined;
  /** Seconds the sessions have spent computing, all workers together. */
  busy = 0;

  constructor({ model, size, onFree, check }: PoolOptions) {
    this.#data = { model };
    this.#name = model;
    this.#size = size;
    this.#onFree = onFree;
    this.#check = check;
  }

  /** Opens one more worker. Throws ModelError where the model cannot be loaded. */
  async open(): Promise<Ports> {
    const file = join(packageRoot, 'dist', 'src', 'model', 'worker.js');
    if (!existsSync(file)) throw new Error(`${file} is missing: run npm run build`);
    this.#opening++;
    // Flags of the main thread (a loader, --input-type) are not the worker's.
    const worker = new Worker(file, { workerData: this.#data, execArgv: [] });
    const seat: Seat = { worker, jobs: new Map() };
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    this.#threads.set(worker, ended);
    void ended.then(() => this.#threads.delete(worker));
    try {
      const ports = await new Promise<Ports>((resolve, reject) => {
        worker.on('message', (message: FromWorker) => {
          if ('ready' in message) resolve(message.ready);
          else if ('failed' in message) reject(loadFailure(this.#name, message.failed));
          else this.#answer(seat, message);
        });
        worker.on('error', (cause) => {
          reject(loadFailure(this.#name, String(cause), cause));
          this.#lose(seat, cause);
        });
        worker.on('exit', (code) => {
          reject(loadFailure(this.#name, `the worker ended with code ${code}`));
          this.#lose(seat, new Error(`the worker ended with code ${code}`));
        });
      });
      await this.#check();
      if (this.#closed) throw this.lost();
      this.#seats.add(seat);
      if (this.#setting) worker.postMessage(this.#setting);
      // An idle worker must not keep the process alive.
      worker.unref();
      return ports;
    } catch (error) {
      worker.postMessage(CLOSE);
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
    for (const { worker } of this.#seats) worker.postMessage(this.#setting);
  }

  /** Opens up to `wanted` more workers, as far as the pool's size allows and the model can still be loaded. */
  grow(wanted: number): void {
    const room = this.#size - this.#seats.size - this.#opening;
    const more = this.#closed || this.#broken ? 0 : Math.min(room, wanted - this.#opening);
    for (let count = 0; count < more; count++) {
      this.open().then(this.#onFree, (error: ModelError) => {
        this.#broken = error;
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
    if (seat.jobs.size === 0) seat.worker.ref();
    seat.jobs.set(id, job);
    const message: ToWorker = { id, batch: job.batch };
    seat.worker.postMessage(message);
  }

  /** Ends the threads, each after the batch it is running. */
  async close(): Promise<void> {
    this.#closed = true;
    const seats = [...this.#seats];
    this.#seats.clear();
    for (const { jobs } of seats) for (const job of jobs.values()) job.failed(this.lost());
    await Promise.all(
      [...this.#threads].map(([worker, ended]) => {
        worker.ref();
        worker.postMessage(CLOSE);
        return ended;
      }),
    );
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
    if (seat.jobs.size === 0 && !this.#closed) seat.worker.unref();
    if (job === undefined) return;
    if ('error' in message) job.failed(runFailure(this.#name, message.error));
    else {
      this.busy += message.seconds;
      job.done(message);
    }
    this.#onFree();
  }

  /** A crash costs the batch that was running; those behind it are asked again of another worker. */
  #lose(seat: Seat, cause: Error): void {
    if (!this.#seats.delete(seat)) return;
    const [running, ...waiting] = seat.jobs.values();
    seat.jobs.clear();
    running?.failed(runFailure(this.#name, `its worker crashed: ${cause.message}`));
    for (const job of waiting) job.again();
    this.#onFree();
  }
}
