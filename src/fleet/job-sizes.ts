/** @file How many examples make a job: enough to be worth the way, few enough that nobody waits for the last one. */

/** Seconds that a job should take. Its way through the broker costs some milliseconds; what a killed worker loses is at most this. */
const SECONDS = 10;
/** Before anything is known of the costs. */
const FIRST = 16;
/** A job takes at most this share of what is left for one worker: guided self-scheduling (Polychronopoulos and Kuck, 1987). */
const SHARE = 0.25;
/** Weight of the newest measurement. */
const NEWEST = 0.2;

export class JobSizes {
  #secondsPerExample: number | undefined;

  /** `examples` took so many seconds on one worker's slot. */
  measured(examples: number, seconds: number): void {
    if (examples === 0) return;
    const found = seconds / examples;
    this.#secondsPerExample =
      this.#secondsPerExample === undefined ? found : (1 - NEWEST) * this.#secondsPerExample + NEWEST * found;
  }

  /** Of the next job, where `left` examples are left and so many jobs can run at once. */
  next(left: number, slots: number): number {
    const wanted = this.#secondsPerExample === undefined ? FIRST : SECONDS / Math.max(1e-6, this.#secondsPerExample);
    const share = (SHARE * left) / Math.max(1, slots);
    return Math.max(1, Math.round(Math.min(wanted, share)));
  }

  /** Seconds that so many examples will take on one slot; undefined before anything was measured. */
  secondsFor(examples: number): number | undefined {
    return this.#secondsPerExample === undefined ? undefined : examples * this.#secondsPerExample;
  }
}
