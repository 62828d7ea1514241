/** @file The log of a shard's job: what an earlier worker delivered, and what this one does, each second while it works. */
import type { Queue } from 'bullmq';
import { RobustError } from '../core/errors.js';
import { type Machine, packDelivery, unpackDelivery } from './messages.js';
import { explainedBroker } from './redis.js';

const DELIVER_MS = 1000;

export const runOver = (): RobustError =>
  new RobustError('the shard is done, or its run is over', { code: 'RUN_OVER' });

export class ShardLog {
  readonly #over = new AbortController();
  #since = performance.now();
  #waiting = '';
  #last: Promise<void> = Promise.resolve();

  /** `found`: by earlier tries. */
  private constructor(
    private readonly queue: Queue,
    private readonly id: string,
    private readonly machine: Machine,
    readonly found: string,
  ) {}

  static async open(queue: Queue, id: string, machine: Machine): Promise<ShardLog> {
    const { logs } = await queue.getJobLogs(id);
    const found = logs.flatMap((entry) => {
      try {
        return [unpackDelivery(entry).found];
      } catch {
        return []; // Somebody else's: what it holds is found again.
      }
    });
    return new ShardLog(queue, id, machine, found.join(''));
  }

  /** Aborted once nothing more can be delivered. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Time counts from here on. */
  begin(): void {
    this.#since = performance.now();
  }

  /** Is it waited for? */
  async isOpen(): Promise<boolean> {
    return (await this.queue.getJobState(this.id)) !== 'unknown';
  }

  add(line: string): void {
    this.#waiting += line;
  }

  /** Delivers what is added each second while the work lasts, and the rest at its end, however it ends. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const send = (): Promise<void> => {
      const found = this.#waiting;
      this.#waiting = '';
      return found === '' ? this.#last : this.deliver(found);
    };
    const timer = setInterval(() => void send().catch(() => {}), DELIVER_MS);
    try {
      const result = await work();
      await send();
      return result;
    } catch (error) {
      await send().catch(() => {});
      throw error;
    } finally {
      clearInterval(timer);
    }
  }

  /** In the order of the calls. Throws RobustError RUN_OVER where nobody takes it any more. */
  deliver(found: string): Promise<void> {
    const now = performance.now();
    const seconds = (now - this.#since) / 1000;
    this.#since = now;
    const text = packDelivery({ machine: this.machine, seconds, found });
    this.#last = this.#last.then(async () => {
      try {
        await explainedBroker(this.queue.addJobLog(this.id, text));
      } catch (error) {
        this.#over.abort();
        throw /^Missing key/.test((error as Error).message) ? runOver() : error;
      }
    });
    return this.#last;
  }
}
