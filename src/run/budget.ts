/** The message of a run that its budget ended. */
export const budgetSpent = (budget: unknown, done: number, all: number): string =>
  `the query budget of the run (${budget}) ended it after ${done} of ${all} searches`;

/**
 * The run's query budget over pairs in canonical order: the run ends before the first pair with which the sum of all
 * queries exceeds it. Pairs end in any order, so the sum is taken along the frontier behind which all have ended.
 */
export class RunBudget {
  /** Pairs from this ordinal on are not part of the run. */
  end: number;
  readonly #asked: Int32Array;
  #frontier = 0;
  #left: number;
  /** Left after every pair that has ended, whatever its place, and the last of those places. */
  #leftOfAll: number;
  #last = -1;

  constructor(pairs: number, budget: number) {
    this.end = pairs;
    this.#asked = new Int32Array(Number.isFinite(budget) ? pairs : 0).fill(-1);
    this.#left = budget;
    this.#leftOfAll = budget;
  }

  /** Is a pair not yet begun worth beginning? Not once the pairs that ended, all of them before it, exceed the budget. */
  wants(ordinal: number): boolean {
    return ordinal < this.end && (this.#leftOfAll >= 0 || ordinal < this.#last);
  }

  /** Does the budget allow this pair this many queries? If not, the run ends before it: earlier pairs can only use more of the budget. */
  allows(ordinal: number, queries: number): boolean {
    if (ordinal < this.end && queries > this.#left) this.end = ordinal;
    return ordinal < this.end;
  }

  /** Notes a pair that ended. */
  spend(ordinal: number, queries: number): void {
    if (this.#asked.length === 0) return;
    this.#asked[ordinal] = queries;
    this.#leftOfAll -= queries;
    this.#last = Math.max(this.#last, ordinal);
    while (this.#frontier < this.end) {
      const next = this.#asked[this.#frontier]!;
      if (next < 0) return;
      if (next > this.#left) {
        this.end = this.#frontier;
        return;
      }
      this.#left -= next;
      this.#frontier++;
    }
  }
}
