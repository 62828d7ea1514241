/** @file A worker thread that runs a classifier from its embeddings on. Started by gradient-pool.ts. */
import { parentPort, workerData } from 'node:worker_threads';
import { RobustError } from '../core/errors.js';
import { type EmbeddingAnswer, type EmbeddingBatch, EmbeddingModel, type EmbeddingPlan } from './embedding-model.js';

/** What a plan turned out to be; the table is shared memory. */
export interface Opened {
  readonly loss: string;
  readonly hidden: number;
  readonly table: Float32Array;
}

export type ToWorker = { readonly id: number; readonly batch: EmbeddingBatch } | { readonly close: true };

export type FromWorker =
  | { readonly ready: Opened }
  | { readonly failed: Failure }
  | { readonly id: number; readonly answer: EmbeddingAnswer }
  | { readonly id: number; readonly failed: Failure };

/** An error that lost its class on the way between threads. */
export interface Failure {
  readonly name: string;
  readonly message: string;
  readonly code: string | undefined;
  readonly hint: string | undefined;
}

const failure = (error: unknown): Failure => ({
  name: error instanceof Error ? error.name : 'Error',
  message: error instanceof Error ? error.message : String(error),
  code: error instanceof RobustError ? error.code : undefined,
  hint: error instanceof RobustError ? error.hint : undefined,
});

const port = parentPort;
if (port === null) throw new Error('gradient-worker.js runs in a worker thread only');
const post = (message: FromWorker, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);

try {
  const { model, table } = await EmbeddingModel.open(workerData as EmbeddingPlan);
  // One batch after the other, in the order they came.
  let last: Promise<void> = Promise.resolve();
  const run = async (id: number, batch: EmbeddingBatch) => {
    try {
      const answer = await model.run(batch);
      const buffers = Object.values(answer).map((values) => values.buffer as ArrayBuffer);
      post({ id, answer }, buffers);
    } catch (error) {
      post({ id, failed: failure(error) });
    }
  };
  port.on('message', (message: ToWorker) => {
    if ('close' in message) {
      last = last.then(() => model.release()).then(() => port.close());
      return;
    }
    last = last.then(() => run(message.id, message.batch));
  });
  post({ ready: { loss: model.loss, hidden: model.hidden, table } });
} catch (error) {
  post({ failed: failure(error) });
}
