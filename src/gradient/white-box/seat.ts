/** @file Where batches are run: a thread or a process of their own, or the calling thread. */
import { ModelCrashedError, ModelError } from '../../core/errors.js';
import { type Host, startHost } from '../../model/host.js';
import { type EmbeddingAnswer, type EmbeddingBatch, EmbeddingModel, type EmbeddingPlan } from './embedding-model.js';
import { revived } from './failure.js';
import type { FromWorker, Opened, ToWorker, WorkerData } from './gradient-worker.js';

export interface Seat {
  readonly opened: Opened;
  /** Batches under way. */
  readonly busy: number;
  /** Why no batch will be run any more. */
  readonly lost: ModelError | undefined;
  run(batch: EmbeddingBatch): Promise<EmbeddingAnswer>;
  close(): Promise<void>;
}

/** A seat on the calling thread, which it blocks while it computes. Throws ModelError. */
export async function localSeat(plan: EmbeddingPlan): Promise<Seat> {
  const { model, table } = await EmbeddingModel.open(plan);
  return {
    opened: { loss: model.loss, hidden: model.hidden, table },
    busy: 0,
    lost: undefined,
    run: (batch) => model.run(batch),
    close: () => model.release(),
  };
}

/** A seat in a thread of its own or, isolated, a process of its own. `table`: whether the embedding table is wanted. Throws ModelError. */
export async function workerSeat(plan: EmbeddingPlan, { isolate, table }: SeatOptions): Promise<Seat> {
  const seat = new WorkerSeat({ plan, table }, isolate);
  try {
    return Object.assign(seat, { opened: await seat.ready });
  } catch (error) {
    await seat.close();
    throw error;
  }
}

export interface SeatOptions {
  readonly isolate: boolean;
  readonly table: boolean;
}

class WorkerSeat {
  readonly ready: Promise<Opened>;
  lost: ModelError | undefined;
  readonly #host: Host<ToWorker>;
  readonly #waiting = new Map<number, { done(answer: EmbeddingAnswer): void; failed(error: Error): void }>();
  #sent = 0;

  constructor(data: WorkerData, isolate: boolean) {
    let ready = (_: Opened): void => {};
    let refused = (_: Error): void => {};
    this.ready = new Promise((resolve, reject) => {
      ready = resolve;
      refused = reject;
    });
    this.#host = startHost<ToWorker, FromWorker>({
      file: 'gradient/white-box/gradient-worker.js',
      data,
      isolate,
      model: data.plan.file,
      onMessage: (message) => {
        if ('ready' in message) {
          // An idle worker must not keep the process alive.
          this.#host.unref();
          ready(message.ready);
        } else if ('id' in message) this.#answer(message);
        else refused(revived(message.failed));
      },
    });
    void this.#host.ended.then((cause) => {
      const error =
        cause instanceof ModelCrashedError
          ? cause
          : new ModelError(`the gradient worker ended: ${cause.message}`, { code: 'MODEL_RUN_FAILED' });
      refused(error);
      this.#lose(error);
    });
  }

  get busy(): number {
    return this.#waiting.size;
  }

  run(batch: EmbeddingBatch): Promise<EmbeddingAnswer> {
    return new Promise((done, failed) => {
      const id = this.#sent++;
      this.#waiting.set(id, { done, failed });
      this.#host.ref();
      const message: ToWorker = { id, batch };
      this.#host.post(message, [batch.embeddings.buffer as ArrayBuffer]);
    });
  }

  close(): Promise<void> {
    return this.#host.close();
  }

  #answer(message: Extract<FromWorker, { id: number }>): void {
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (this.#waiting.size === 0) this.#host.unref();
    if ('answer' in message) waiting?.done(message.answer);
    else waiting?.failed(revived(message.failed));
  }

  #lose(error: ModelError): void {
    this.lost = error;
    for (const { failed } of this.#waiting.values()) failed(error);
    this.#waiting.clear();
  }
}
