/** @file Where batches are run: a worker thread, or the calling one. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ModelError, UnsupportedOpError } from '../core/errors.js';
import { packageRoot } from '../core/package-root.js';
import { type EmbeddingAnswer, type EmbeddingBatch, EmbeddingModel, type EmbeddingPlan } from './embedding-model.js';
import type { Failure, FromWorker, Opened, ToWorker } from './gradient-worker.js';

export interface Seat {
  readonly opened: Opened;
  /** Batches under way. */
  readonly busy: number;
  /** No batch will be run any more. */
  readonly lost: boolean;
  run(batch: EmbeddingBatch): Promise<EmbeddingAnswer>;
  close(): Promise<void>;
}

/** A seat on the calling thread, which it blocks while it computes. Throws ModelError. */
export async function localSeat(plan: EmbeddingPlan): Promise<Seat> {
  const { model, table } = await EmbeddingModel.open(plan);
  return {
    opened: { loss: model.loss, hidden: model.hidden, table },
    busy: 0,
    lost: false,
    run: (batch) => model.run(batch),
    close: () => model.release(),
  };
}

/** A seat in a thread of its own. Throws ModelError. */
export async function threadSeat(plan: EmbeddingPlan): Promise<Seat> {
  const file = join(packageRoot, 'dist', 'src', 'gradient', 'gradient-worker.js');
  if (!existsSync(file)) throw new Error(`${file} is missing: run npm run build`);
  const worker = new Worker(file, { workerData: plan });
  const thread = new Thread(worker);
  try {
    return Object.assign(thread, { opened: await thread.ready });
  } catch (error) {
    await thread.close();
    throw error;
  }
}

class Thread {
  readonly ready: Promise<Opened>;
  lost = false;
  readonly #worker: Worker;
  readonly #ended: Promise<void>;
  readonly #waiting = new Map<number, { done(answer: EmbeddingAnswer): void; failed(error: Error): void }>();
  #sent = 0;

  constructor(worker: Worker) {
    this.#worker = worker;
    this.#ended = new Promise((resolve) => worker.once('exit', () => resolve()));
    this.ready = new Promise((resolve, reject) => {
      const lose = (cause: string) => {
        const error = new ModelError(`the gradient worker ended: ${cause}`, { code: 'MODEL_RUN_FAILED' });
        reject(error);
        this.#lose(error);
      };
      worker.on('message', (message: FromWorker) => {
        if ('ready' in message) {
          // An idle worker must not keep the process alive.
          worker.unref();
          resolve(message.ready);
        } else if ('id' in message) this.#answer(message);
        else reject(revived(message.failed));
      });
      worker.on('error', (cause) => lose(cause.message));
      worker.on('exit', (code) => lose(`code ${code}`));
    });
  }

  get busy(): number {
    return this.#waiting.size;
  }

  run(batch: EmbeddingBatch): Promise<EmbeddingAnswer> {
    return new Promise((done, failed) => {
      const id = this.#sent++;
      this.#waiting.set(id, { done, failed });
      this.#worker.ref();
      const message: ToWorker = { id, batch };
      this.#worker.postMessage(message, [batch.embeddings.buffer as ArrayBuffer]);
    });
  }

  /** Ends after the batches sent: a thread stopped inside onnxruntime takes the process with it. */
  async close(): Promise<void> {
    const message: ToWorker = { close: true };
    this.#worker.ref();
    this.#worker.postMessage(message);
    await this.#ended;
  }

  #answer(message: Extract<FromWorker, { id: number }>): void {
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (this.#waiting.size === 0) this.#worker.unref();
    if ('answer' in message) waiting?.done(message.answer);
    else waiting?.failed(revived(message.failed));
  }

  #lose(error: Error): void {
    this.lost = true;
    for (const { failed } of this.#waiting.values()) failed(error);
    this.#waiting.clear();
  }
}

/** The error a worker met, as the class it was. */
function revived({ name, message, code, hint }: Failure): Error {
  if (code === undefined) return new Error(message);
  const details = { code, ...(hint !== undefined && { hint }) };
  return name === 'UnsupportedOpError' ? new UnsupportedOpError(message, details) : new ModelError(message, details);
}
