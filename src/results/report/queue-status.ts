/** @file What is on a queue: the `result` of `robust queue --json`. Types only. */

interface QueuedRun {
  readonly run: string;
  readonly model: string;
  readonly data: string;
  readonly version: string;
  /** `clean` or `attack`. */
  readonly stage: string;
  /** Answers in the clean pass, then outcomes. */
  readonly done: number;
  readonly total: number;
  /** Recent increase of `done` a second; and the seconds left at that rate, null if it is 0. */
  readonly rate: number;
  readonly left: number | null;
  /** Where its coordinator is, and when it last wrote its state (ISO 8601). */
  readonly coordinator: string;
  readonly seen: string;
}

interface ListedWorker {
  readonly id: string;
  /** Jobs at once. */
  readonly concurrency: number;
}

export interface QueueStatus {
  readonly queue: string;
  readonly paused: boolean;
  readonly jobs: { readonly waiting: number; readonly active: number; readonly failed: number };
  readonly runs: readonly QueuedRun[];
  readonly workers: readonly ListedWorker[];
  /** The distinct errors of failed jobs. */
  readonly failures: readonly string[];
}
