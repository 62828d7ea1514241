/** @file Where deliveries of workers come in, over HTTP or by an inbox, and go to the phase that asked for them. */
import { RobustError } from '../core/errors.js';
import { type Delivery, unpackDelivery } from './messages.js';
import type { Phase } from './phase.js';

export interface IntakeCalls {
  /** A delivery was kept. */
  onReceived(head: Delivery, phase: Phase): void;
  /** Something that ends the run. */
  failed(error: unknown): void;
}

export class Intake {
  readonly #run: string;
  readonly #calls: IntakeCalls;
  /** The phase whose deliveries are taken; undefined between two phases. */
  phase: Phase | undefined;

  constructor(run: string, calls: IntakeCalls) {
    this.#run = run;
    this.#calls = calls;
  }

  /** Takes a delivery: the status of HTTP to answer with. */
  take(bytes: Buffer): number {
    try {
      const { head, product } = unpackDelivery(bytes);
      if (head.run !== this.#run) return 410;
      // Between two phases: later.
      if (this.phase === undefined) return 503;
      // The delivery is of a phase that is over, or of one that an earlier coordinator had reached. Waiting for that phase might block this one.
      if (this.phase.kind !== head.job.kind) return 410;
      this.phase.receive(head, product);
      this.#calls.onReceived(head, this.phase);
      return 200;
    } catch (error) {
      const code = error instanceof RobustError ? error.code : undefined;
      if (code === 'QUEUE_DAMAGED') return 400;
      this.#calls.failed(error);
      return code === 'NOT_DETERMINISTIC' ? 409 : 500;
    }
  }
}
