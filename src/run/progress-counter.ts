import { type Outcome, wasAttacked } from '../core/outcome.js';
import type { RunHooks } from './plan.js';

/** Counts outcomes for the progress display. */
export class ProgressCounter {
  readonly #total: number;
  readonly #hooks: RunHooks;
  readonly #began = performance.now();
  #done = 0;
  #resumed = 0;
  #succeeded = 0;
  #attacked = 0;
  #asked = 0;

  constructor(total: number, hooks: RunHooks) {
    this.#total = total;
    this.#hooks = hooks;
  }

  /** An outcome of an earlier session. */
  found(outcome: Outcome): void {
    this.#resumed++;
    this.#count(outcome);
  }

  add(outcome: Outcome): void {
    this.#asked += outcome.queries.asked;
    this.#count(outcome);
    this.#hooks.progress?.({
      stage: 'attack',
      attack: outcome.attack,
      done: this.#done,
      total: this.#total,
      resumed: this.#resumed,
      succeeded: this.#succeeded,
      attacked: this.#attacked,
      asked: this.#asked,
      seconds: (performance.now() - this.#began) / 1000,
    });
  }

  #count({ status }: Outcome): void {
    this.#done++;
    if (status === 'succeeded') this.#succeeded++;
    if (wasAttacked(status)) this.#attacked++;
  }
}
