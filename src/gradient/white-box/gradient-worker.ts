/** @file A worker that runs a classifier from its embeddings on. Started by seat.ts. */
import { hostSide } from '../../model/host-side.js';
import { type EmbeddingAnswer, type EmbeddingBatch, EmbeddingModel, type EmbeddingPlan } from './embedding-model.js';
import { type Failure, failure } from './failure.js';

export interface WorkerData {
  readonly plan: EmbeddingPlan;
  /** Whether the embedding table is wanted. */
  readonly table: boolean;
}

/** What a plan turned out to be. The table is memory shared with a thread, and empty where it was not wanted. */
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

const { data, post, onMessage, end } = await hostSide<ToWorker, FromWorker>();

try {
  const { plan, table: wanted } = data as WorkerData;
  const { model, table } = await EmbeddingModel.open(plan);
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
  onMessage((message) => {
    if ('close' in message) {
      last = last.then(() => model.release()).then(() => end());
      return;
    }
    last = last.then(() => run(message.id, message.batch));
  });
  post({ ready: { loss: model.loss, hidden: model.hidden, table: wanted ? table : new Float32Array() } });
} catch (error) {
  post({ failed: failure(error) });
}
