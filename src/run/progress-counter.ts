import { type Outcome, wasAttacked } from '../core/outcome.js';
import type { OutcomeOf, RunHooks } from './plan.js';

/** Counts outcomes for the progress display. */
export class ProgressCounter {
  readonly #of: OutcomeOf;
  readonly #hooks: RunHooks;
  readonly #began = performance.now();
  #done = 0;
  #resumed = 0;
  #succeeded = 0;
  #attacked = 0;
  #asked = 0;

  constructor(of: OutcomeOf, hooks: RunHooks) {
    this.#of = of;
    this.#hooks = hooks;
  }

  /** An outcome of an earlier session. */
  countFound(outcome: Outcome): void {
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
      total: this.#of.attacks.length * this.#of.examples,
      resumed: this.#resumed,
      succeeded: this.#succeeded,
      attacked: this.#attacked,
      asked: this.#asked,
      seconds: (performance.now() - this.#began) / 1000,
    });
  }

  #count(outcome: Outcome): void {
    const { status } = outcome;
    this.#hooks.outcome?.(outcome, this.#of);
    this.#done++;
    if (status === 'succeeded') this.#succeeded++;
    if (wasAttacked(status)) this.#attacked++;
  }
}
