/** @file Where deliveries of workers come in, over HTTP or by a folder that all see, and go to the phase that asked for them. */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { RobustError } from '../core/errors.js';
import { makeFolder } from '../files/write.js';
import { type Delivery, unpacked } from './messages.js';
import { Differs, type Phase, Unasked } from './phase.js';
import { DELIVERED } from './shared-folder.js';

export interface IntakeCalls {
  /** A delivery was kept. */
  received(head: Delivery, phase: Phase): void;
  /** Something that ends the run. */
  failed(error: unknown): void;
}

export class Intake {
  readonly #run: string;
  readonly #calls: IntakeCalls;
  readonly #inbox: string | undefined;
  /** Whose deliveries are taken; undefined between two phases. */
  phase: Phase | undefined;

  /** `inbox`: the folder that workers put deliveries into, where they do. */
  constructor(run: string, inbox: string | undefined, calls: IntakeCalls) {
    this.#run = run;
    this.#inbox = inbox;
    this.#calls = calls;
    if (inbox !== undefined) makeFolder(inbox, 'the folder for deliveries');
  }

  /** Takes a delivery: the status of HTTP to answer with. */
  take(bytes: Buffer): number {
    try {
      const { head, product } = unpacked(bytes);
      if (head.run !== this.#run) return 410;
      // Between two phases: later.
      if (this.phase === undefined) return 503;
      // Of a phase that is over; or of one that an earlier coordinator had reached: whoever waited for that might keep this one from going on.
      if (this.phase.kind !== head.task.kind) return 410;
      this.phase.receive(head, product);
      this.#calls.received(head, this.phase);
      return 200;
    } catch (error) {
      if (error instanceof Unasked || (error instanceof RobustError && error.code === 'QUEUE_MESSAGE')) return 400;
      this.#calls.failed(error);
      return error instanceof Differs ? 409 : 500;
    }
  }

  /** Takes what lies in the folder that all see. */
  readInbox(): void {
    if (this.#inbox === undefined || !existsSync(this.#inbox)) return;
    for (const name of readdirSync(this.#inbox)
      .filter((each) => each.endsWith(DELIVERED))
      .sort()) {
      const path = join(this.#inbox, name);
      const status = this.take(readFileSync(path));
      if (status === 200 || status === 410) rmSync(path, { force: true });
      else if (status !== 503) renameSync(path, `${path}.refused`);
    }
  }
}
