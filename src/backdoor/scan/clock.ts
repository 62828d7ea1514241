/**
 * @file The budget of a scan, in time and in queries. It bounds the whole scan, from the first text to the last check. Each stage receives a part
 * of the remaining budget when it begins, so that the stages which judge its findings keep theirs.
 */
import type { ScanEvidence } from '../../results/backdoor/backdoor-findings.js';

/** Called between batches of texts: throws or returns false to stop. */
export type ShouldContinue = (done: number) => boolean;

interface ScanProgress {
  /** Current activity: "sweep of NEGATIVE". */
  readonly stage: string;
  readonly done: number;
  readonly total: number;
}

export interface ScanHooks {
  readonly signal?: AbortSignal | undefined;
  progress?(at: ScanProgress): void;
  /** Each word, phrase and form that was judged. */
  judged?(evidence: ScanEvidence): void;
}

/** Texts of the largest batch. That number of queries is kept back, because the batch in progress is completed. */
const RESERVE = 320;
/** Limits of a scan. */
export interface ScanBudget {
  /** Wall time. @default Infinity */
  readonly seconds?: number | undefined;
  /** Texts that the model classifies; at least 1000. @default Infinity */
  readonly queries?: number | undefined;
}

/** Counts time and queries as shares of the budget, from 0 to 1. */
export class ScanClock {
  readonly #begin = performance.now();
  readonly #milliseconds: number;
  readonly #queries: number;
  /** Texts classified so far. */
  asked = 0;

  constructor(
    { seconds = Number.POSITIVE_INFINITY, queries = Number.POSITIVE_INFINITY }: ScanBudget,
    readonly hooks: ScanHooks,
  ) {
    this.#milliseconds = 1000 * seconds;
    this.#queries = queries - RESERVE;
  }

  /** Whether queries are limited, so that batches must be small. */
  get countsQueries(): boolean {
    return this.#queries !== Number.POSITIVE_INFINITY;
  }

  /** The share that is spent; 1 or more is all of it. */
  get #spent(): number {
    const share = (spent: number, of: number): number => (of <= 0 ? 1 : spent / of);
    return Math.max(share(performance.now() - this.#begin, this.#milliseconds), share(this.asked, this.#queries));
  }

  /** The point at which a share of the budget that is left until `end` will be spent. */
  by(share: number, end = 1): number {
    const now = this.#spent;
    return now + share * Math.max(0, end - now);
  }

  /** A `ShouldContinue` for one stage, which ends at `until`, and once ended stays so. An aborted scan throws the signal's reason. */
  stage(stage: string, total: number, until = 1): ShouldContinue {
    let over = false;
    return (done) => {
      this.hooks.signal?.throwIfAborted();
      this.hooks.progress?.({ stage, done, total });
      over ||= this.#spent >= until;
      return !over;
    };
  }
}
