/**
 * @file How long code that is not ours may take: modules that classify, attacks of the user's own. Timers end a wait; a loop that never
 * gives the thread back is seen by whoever `begin` tells.
 */
import type { RobustError } from './errors.js';

export interface TimeLimit {
  /** Most seconds of one call. Infinity: as long as it likes. */
  readonly seconds: number;
  /** A call begins; the result is to be called at its end. */
  begin?(what: string): () => void;
}

export const NO_TIME_LIMIT: TimeLimit = { seconds: Number.POSITIVE_INFINITY };

/** The longest a timer can wait. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const timerOf = (seconds: number): number => Math.min(seconds * 1000, MAX_TIMER_MS);

/** What `call` gives. Throws what it throws, and what `late` makes where it takes longer. `what`: who is called, for messages. */
export function withinTime<T>(
  patience: TimeLimit,
  what: string,
  call: () => T | Promise<T>,
  late: () => RobustError,
): Promise<T> {
  return withinIdleTime(patience, new IdleTimer(), what, call, late);
}

/** How long foreign code has been busy with itself. While it waits for the victim, the victim is who takes the time. */
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

/** As `withinTime`, for calls that ask the victim themselves: what counts is the time in which they neither ask nor end. */
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
