/**
 * @file Time limits for plugin code: modules that classify, user-written attacks. Timers end a wait. A synchronous loop never yields, so
 * the callback `begin` allows another thread to detect it.
 */
import type { RobustError } from './errors.js';

export interface TimeLimit {
  /** Maximum duration of one call in seconds. Infinity: no limit. */
  readonly seconds: number;
  /** Called when a call begins; the returned function is called at its end. */
  begin?(what: string): () => void;
}

export const NO_TIME_LIMIT: TimeLimit = { seconds: Number.POSITIVE_INFINITY };

/** The longest delay that a timer supports. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const timerOf = (seconds: number): number => Math.min(seconds * 1000, MAX_TIMER_MS);

/** Result of `call`. Throws its error, or the error made by `late` after the time limit. `what`: name of the callee, for messages. */
export function withinTime<T>(
  patience: TimeLimit,
  what: string,
  call: () => T | Promise<T>,
  late: () => RobustError,
): Promise<T> {
  return withinIdleTime(patience, new IdleTimer(), what, call, late);
}

/** Measures how long plugin code has been busy itself. Time spent waiting for the victim does not count. */
export class IdleTimer {
  #waiting = 0;
  #since = performance.now();

  get seconds(): number {
    return this.#waiting > 0 ? 0 : (performance.now() - this.#since) / 1000;
  }

  async during<T>(answer: Promise<T>): Promise<T> {
    this.#waiting++;
    try {
      return await answer;
    } finally {
      this.#waiting--;
      this.#since = performance.now();
    }
  }
}

/** Like `withinTime`, for calls that query the victim: only the time between queries counts. */
export async function withinIdleTime<T>(
  { seconds, begin }: TimeLimit,
  idle: IdleTimer,
  what: string,
  call: () => T | Promise<T>,
  late: () => RobustError,
): Promise<T> {
  const end = begin?.(what);
  let timer: NodeJS.Timeout | undefined;
  try {
    if (seconds === Number.POSITIVE_INFINITY) return await call();
    return await new Promise<T>((resolve, reject) => {
      const look = (): void => {
        const left = seconds - idle.seconds;
        if (left <= 0) reject(late());
        else timer = setTimeout(look, timerOf(left));
      };
      look();
      Promise.resolve().then(call).then(resolve, reject);
    });
  } finally {
    clearTimeout(timer);
    end?.();
  }
}
