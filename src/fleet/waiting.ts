/** @file Waits for what is away, over a network: it comes back, with nothing lost. */
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf, RobustError } from '../core/errors.js';
import { ConnectionError, HttpClient } from '../http/client.js';

/** Coordinators and stores are reached by the same connections. */
export const client = new HttpClient();

/** Milliseconds between two tries. */
const AGAIN = [100, 250, 500, 1000, 2000] as const;
const IDLE_MS = 60_000;

export interface NetworkWait {
  readonly signal: AbortSignal;
  /** Called once an answer is awaited for longer. */
  warn(message: string): void;
}

/** An error that may pass. */
export class Busy extends RobustError {}

/** Does work until it succeeds, is refused for good, or the signal ends it. `who` is waited for; a try takes `ms` at most. */
export async function retryUntilDone<T>(
  { signal, warn }: NetworkWait,
  who: () => string,
  work: (signal: AbortSignal) => Promise<T>,
  ms = IDLE_MS,
): Promise<T> {
  for (let tries = 0; ; tries++) {
    signal.throwIfAborted();
    try {
      return await work(AbortSignal.any([signal, AbortSignal.timeout(ms)]));
    } catch (error) {
      if (signal.aborted || !mayPass(error)) throw error;
      if (tries === AGAIN.length) warn(`${who()} does not answer: ${messageOf(error)}; waiting for it`);
    }
    await pause(AGAIN[Math.min(tries, AGAIN.length - 1)], undefined, { signal });
  }
}

const mayPass = (error: unknown): boolean =>
  error instanceof Busy || error instanceof ConnectionError || (error as Error).name === 'TimeoutError';
