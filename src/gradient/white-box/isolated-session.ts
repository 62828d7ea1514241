/** @file A session in a process of its own. */
import { type Host, startHost } from '../../model/host.js';
import type { Feed } from './engine.js';
import { revived } from './failure.js';
import { floats, type OpenSession, type Result, type SessionOptions } from './session.js';
import type { FromWorker, ToWorker, WorkerData } from './session-worker.js';

interface Waiting {
  done(results: ReadonlyMap<string, Result>): void;
  failed(error: Error): void;
}

/** Throws ModelError, MODEL_CRASHED where the process goes down. */
export async function openIsolated(model: Uint8Array, options: SessionOptions): Promise<OpenSession> {
  const session = new IsolatedSession({ model, options });
  try {
    await session.ready;
    return session;
  } catch (error) {
    await session.release();
    throw error;
  }
}

class IsolatedSession implements OpenSession {
  readonly ready: Promise<void>;
  readonly #host: Host<ToWorker>;
  readonly #waiting = new Map<number, Waiting>();
  #lost: Error | undefined;
  #sent = 0;

  constructor(data: WorkerData) {
    let opened: Waiting = { done() {}, failed() {} };
    this.ready = new Promise((resolve, failed) => {
      opened = { done: () => resolve(), failed };
    });
    this.#host = startHost<ToWorker, FromWorker>({
      file: 'gradient/white-box/session-worker.js',
      data,
      isolate: true,
      model: 'a graph made of the model',
      onMessage: (message) => {
        if ('id' in message) this.#answer(message);
        else if ('ready' in message) {
          this.#host.unref();
          opened.done(new Map());
        } else opened.failed(revived(message.failed));
      },
    });
    void this.#host.ended.then((cause) => {
      this.#lost = cause;
      opened.failed(cause);
      for (const { failed } of this.#waiting.values()) failed(cause);
      this.#waiting.clear();
    });
  }

  runAll(feeds: ReadonlyMap<string, Feed>): Promise<ReadonlyMap<string, Result>> {
    return new Promise((done, failed) => {
      if (this.#lost !== undefined) {
        failed(this.#lost);
        return;
      }
      const id = this.#sent++;
      this.#waiting.set(id, { done, failed });
      this.#host.ref();
      this.#host.post({ id, feeds });
    });
  }

  async run(feeds: ReadonlyMap<string, Feed>): Promise<ReadonlyMap<string, Float32Array>> {
    return floats(await this.runAll(feeds));
  }

  release(): Promise<void> {
    return this.#host.close();
  }

  #answer(message: Extract<FromWorker, { id: number }>): void {
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (this.#waiting.size === 0) this.#host.unref();
    if ('results' in message) waiting?.done(message.results);
    else waiting?.failed(revived(message.failed));
  }
}
