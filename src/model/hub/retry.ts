import { setTimeout as sleep } from 'node:timers/promises';
import pRetry from 'p-retry';
import { ModelError } from '../../core/errors.js';

/** A fault that may pass by itself: of the connection, or of a busy server. */
export class TransientError extends Error {
  /** Seconds the server asks to be left alone. */
  readonly wait: number;

  constructor(message: string, options: { readonly wait?: number; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.wait = options.wait ?? 0;
  }
}

/** A server that asks for more patience than this has to do without us. */
const MAX_WAIT_SECONDS = 60;
const MAX_PAUSE_MS = 8_000;

export interface RetryLimits {
  /** Times the work is tried again. */
  readonly retries: number;
  /** Milliseconds before the first of them. */
  readonly pause: number;
  /** Whether the last try got anywhere: then it does not count. */
  readonly progressed?: () => boolean;
}

/** Does work again while its faults are passing ones. Throws ModelError (HUB_UNREACHABLE) once patience has run out. */
export async function withRetries<T>(what: string, patience: RetryLimits, work: () => Promise<T>): Promise<T> {
  try {
    return await pRetry(work, {
      retries: patience.retries,
      minTimeout: patience.pause,
      maxTimeout: MAX_PAUSE_MS,
      shouldRetry: ({ error }) => error instanceof TransientError && error.wait <= MAX_WAIT_SECONDS,
      shouldConsumeRetry: () => patience.progressed?.() !== true,
      onFailedAttempt: async ({ error, retriesLeft }) => {
        if (error instanceof TransientError && error.wait <= MAX_WAIT_SECONDS && retriesLeft > 0)
          await sleep(error.wait * 1000);
      },
    });
  } catch (error) {
    if (!(error instanceof TransientError)) throw error;
    throw new ModelError(`${what}: ${error.message}`, {
      code: 'HUB_UNREACHABLE',
      hint: 'Check the network and HF_ENDPOINT, then run again: a broken download goes on where it ended. What is cached needs no network with --runtime offline=true.',
      cause: error,
    });
  }
}
