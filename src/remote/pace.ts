/**
 * @file Limits on concurrent requests and on their rate. Slow start, then additive increase, multiplicative decrease (Chiu and Jain 1989,
 * Jacobson 1988). The limit begins low and rises by one with every good answer, which doubles it in the time of one answer. An overload
 * halves it. From then on it rises by one with every twentieth good answer.
 */
import { setTimeout as after } from 'node:timers/promises';

/** Time, so that tests need not wait for it. */
export interface Clock {
  /** Milliseconds since 1970; never goes back. */
  now(): number;
  /** Rejects with the signal's reason once it is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: (ms, signal) => after(ms, undefined, { signal }),
};

const START = 4;
const GOOD_ANSWERS_FOR_ONE_MORE = 20;

export class Pace {
  readonly #most: number;
  readonly #clock: Clock;
  /** Milliseconds between two requests. */
  readonly #gap: number;
  #limit: number;
  #good = 0;
  /** It has never been overloaded. */
  #slowStart = true;
  /** Nothing is sent before: the endpoint asked to be left alone. */
  #quietUntil = 0;
  /** When the next request may be sent by the rate. */
  #next = 0;
  /** When the limit was halved last: answers to requests sent before say nothing new. */
  #halved = 0;

  /** `most` requests at once; `rate` a second. */
  constructor(most: number, rate: number | undefined, clock: Clock) {
    this.#most = most;
    this.#clock = clock;
    this.#gap = rate === undefined ? 0 : 1000 / rate;
    this.#limit = Math.min(START, most);
  }

  /** Requests that may be under way at once. */
  get limit(): number {
    return this.#limit;
  }

  good(): void {
    if (++this.#good < (this.#slowStart ? 1 : GOOD_ANSWERS_FOR_ONE_MORE)) return;
    this.#good = 0;
    this.#limit = Math.min(this.#most, this.#limit + 1);
  }

  /** Notes an overload reported for the request that was sent at `sent`. */
  overloaded(sent: number): void {
    this.#good = 0;
    this.#slowStart = false;
    if (sent < this.#halved) return;
    this.#halved = this.#clock.now();
    this.#limit = Math.max(1, Math.floor(this.#limit / 2));
  }

  /** Sends nothing for `ms` milliseconds, as the endpoint demands. */
  quiet(ms: number): void {
    this.#quietUntil = Math.max(this.#quietUntil, this.#clock.now() + ms);
  }

  /** Waits until a request may be sent; returns when that is. */
  async turn(signal: AbortSignal): Promise<number> {
    for (;;) {
      const now = this.#clock.now();
      const at = Math.max(this.#quietUntil, this.#next);
      if (now >= at) {
        this.#next = this.#gap === 0 ? 0 : Math.max(now, this.#next) + this.#gap;
        return now;
      }
      // A timer may fire a moment early by the clock: then it is set again.
      await this.#clock.sleep(Math.max(1, Math.ceil(at - now)), signal);
    }
  }
}
