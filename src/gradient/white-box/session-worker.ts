/** @file A worker that runs one graph. Started by isolated-session.ts. */
import { hostSide } from '../../model/host-side.js';
import type { Feed } from './engine.js';
import { type Failure, failure } from './failure.js';
import { type Result, Session, type SessionOptions } from './session.js';

export interface WorkerData {
  readonly model: Uint8Array;
  readonly options: SessionOptions;
}

export interface ToWorker {
  readonly id: number;
  readonly feeds: ReadonlyMap<string, Feed>;
}

export type FromWorker =
  | { readonly ready: true }
  | { readonly failed: Failure }
  | { readonly id: number; readonly results: ReadonlyMap<string, Result> }
  | { readonly id: number; readonly failed: Failure };

const { data, post, onMessage } = await hostSide<ToWorker, FromWorker>();

try {
  const { model, options } = data as WorkerData;
  const session = await Session.open(model, options);
  // One run after the other: they share the places of their outputs.
  let last: Promise<void> = Promise.resolve();
  const run = async ({ id, feeds }: ToWorker) => {
    try {
      const results = await session.runAll(feeds);
      // A tensor tells its parts by getters, which no message carries.
      post({
        id,
        results: new Map(Array.from(results, ([name, { type, dims, data }]) => [name, { type, dims, data }])),
      });
    } catch (error) {
      post({ id, failed: failure(error) });
    }
  };
  onMessage((message) => {
    last = last.then(() => run(message));
  });
  post({ ready: true });
} catch (error) {
  post({ failed: failure(error) });
}
