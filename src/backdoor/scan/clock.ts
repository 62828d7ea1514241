/**
 * @file The time budget of a scan. It bounds the whole scan, from the first text to the last check. Each stage receives a part of the
 * remaining time when it begins, so that the stages which judge its findings keep theirs.
 */

/** Called between batches of texts: throws or returns false to stop. */
export type ShouldContinue = (done: number) => boolean;

interface ScanProgress {
  /** Current activity: "sweep of NEGATIVE". */
  readonly stage: string;
  readonly done: number;
  readonly total: number;
}

export interface ScanHooks {
  readonly signal?: AbortSignal;
  progress?(at: ScanProgress): void;
}

export class ScanClock {
  readonly #end: number;

  /** `seconds` from now on; Infinity never ends. */
  constructor(
    seconds: number,
    readonly hooks: ScanHooks,
  ) {
    this.#end = performance.now() + 1000 * seconds;
  }

  /** When a share of the time that is left until `end` will have passed; milliseconds of `performance.now()`. */
  by(share: number, end = this.#end): number {
    const now = performance.now();
    return end === Number.POSITIVE_INFINITY ? end : now + share * Math.max(0, end - now);
  }

  /** A `ShouldContinue` for one stage, which ends at `until`, and once ended stays so. An aborted scan throws the signal's reason. */
  stage(stage: string, total: number, until = this.#end): ShouldContinue {
    let over = false;
    return (done) => {
      this.hooks.signal?.throwIfAborted();
      this.hooks.progress?.({ stage, done, total });
      over ||= performance.now() >= until;
      return !over;
    };
  }
}
