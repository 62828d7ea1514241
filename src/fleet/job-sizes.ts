/** @file The number of examples in a job: enough to be worth the transport, few enough that no worker waits for the last job. */

/** Seconds that a job should take. Its way through the broker costs some milliseconds; what a killed worker loses is at most this. */
const SECONDS = 10;
/** Before anything is known of the costs. */
const FIRST = 16;
/** A job takes at most this share of a worker's part of the remaining examples: guided self-scheduling (Polychronopoulos and Kuck, 1987). */
const SHARE = 0.25;
/** Weight of the newest measurement. */
const NEWEST = 0.2;

export class JobSizes {
  #secondsPerExample: number | undefined;

  /** Notes that `examples` took `seconds` on one slot of a worker. */
  record(examples: number, seconds: number): void {
    if (examples === 0) return;
    const found = seconds / examples;
    this.#secondsPerExample =
      this.#secondsPerExample === undefined ? found : (1 - NEWEST) * this.#secondsPerExample + NEWEST * found;
  }

  /** Examples of the next job, if `left` remain and `slots` jobs can run at once. */
  next(left: number, slots: number): number {
    const wanted = this.#secondsPerExample === undefined ? FIRST : SECONDS / Math.max(1e-6, this.#secondsPerExample);
    const share = (SHARE * left) / Math.max(1, slots);
    return Math.max(1, Math.round(Math.min(wanted, share)));
  }
}
