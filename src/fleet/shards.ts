/** @file The size of shards: enough examples to be worth the way, few enough that no worker waits for the last one. */

/** Seconds that a shard should take. Its way through the queue costs some milliseconds. */
const SECONDS = 10;
/** Less is not worth the way: workers end together within this time. */
const LEAST_SECONDS = 0.5;
/** Before anything is known of the costs. */
const FIRST = 16;
/** A shard takes at most this share of a worker's part of the remaining examples: guided self-scheduling (Polychronopoulos and Kuck, 1987). */
const SHARE = 0.25;
/** Weight of the newest measurement. */
const NEWEST = 0.2;
/** Shards given out for each that can run. */
const AHEAD = 3;
const LEAST_AHEAD = 24;
/** A range that took workers down is divided into this many, which isolates the one example in a few tries. */
const DIVISIONS = 4;

/** The number of shards given out at a time, if `slots` can run at once. */
export const shardsAhead = (slots: number): number => Math.max(LEAST_AHEAD, AHEAD * slots);

export class ShardSizes {
  #secondsPerExample: number | undefined;

  /** `least`: examples that are worth the way; `atOnce`: those that a worker has under way. */
  constructor(
    private readonly least = 1,
    private readonly atOnce = 1,
  ) {}

  /** Notes that `examples` took `seconds` on one slot of a worker. */
  record(examples: number, seconds: number): void {
    if (examples === 0) return;
    const found = seconds / examples;
    this.#secondsPerExample =
      this.#secondsPerExample === undefined ? found : (1 - NEWEST) * this.#secondsPerExample + NEWEST * found;
  }

  /** Examples of the next shard, if `left` remain and `slots` shards can run at once. */
  next(left: number, slots: number): number {
    const size = this.#worthwhile(left, slots);
    // In the last round of a shard all of a worker should be busy.
    const even = size > this.atOnce ? this.atOnce * Math.round(size / this.atOnce) : Math.round(size);
    return Math.min(left, Math.max(this.least, even));
  }

  #worthwhile(left: number, slots: number): number {
    const share = (SHARE * left) / Math.max(1, slots);
    const perExample = this.#secondsPerExample;
    if (perExample === undefined) return Math.min(FIRST, share);
    const within = (seconds: number): number => seconds / Math.max(1e-6, perExample);
    return Math.min(within(SECONDS), Math.max(within(LEAST_SECONDS), share));
  }
}

export interface IndexRange {
  readonly from: number;
  readonly to: number;
}

export function divide({ from, to }: IndexRange): IndexRange[] {
  const count = Math.min(DIVISIONS, to - from);
  const start = (index: number): number => from + Math.round(((to - from) * index) / count);
  return Array.from({ length: count }, (_, index) => ({ from: start(index), to: start(index + 1) }));
}
