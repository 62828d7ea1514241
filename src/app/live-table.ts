/** @file The table below the progress bar: a row for each attack, and the last adversarial text. */
import { visible } from '../../reports/visible.js';
import { interval, percent } from '../core/figure-text.js';
import { type Outcome, wasAttacked } from '../core/outcome.js';
import { wilson } from '../core/statistics/stats.js';
import type { OutcomeOf } from '../run/index.js';

/** More attacks leave no room for the rest of the screen: their rows would scroll away. */
const MAX_ROWS = 10;

interface AttackTally {
  done: number;
  attacked: number;
  succeeded: number;
}

/** Counts the outcomes of a run by attack. */
export class LiveTable {
  #attacks: readonly string[] = [];
  #examples = 0;
  #last: Outcome | undefined;
  readonly #tallies = new Map<string, AttackTally>();

  add(outcome: Outcome, { attacks, examples }: OutcomeOf): void {
    if (this.#attacks !== attacks) this.#begin(attacks, examples);
    const tally = this.#tallies.get(outcome.attack);
    if (tally === undefined) return;
    tally.done++;
    if (wasAttacked(outcome.status)) tally.attacked++;
    if (outcome.status !== 'succeeded') return;
    tally.succeeded++;
    if (outcome.adversarial !== undefined) this.#last = outcome;
  }

  #begin(attacks: readonly string[], examples: number): void {
    this.#attacks = attacks;
    this.#examples = examples;
    this.#last = undefined;
    this.#tallies.clear();
    for (const attack of attacks) this.#tallies.set(attack, { done: 0, attacked: 0, succeeded: 0 });
  }

  /** Whether some attack has ended, so that the speed of the run is known. */
  get hasEnded(): boolean {
    return [...this.#tallies.values()].some(({ done }) => done >= this.#examples);
  }

  /** Number of rows; 0 before the first outcome, and if the attacks would fill the screen. */
  get height(): number {
    return this.#attacks.length > MAX_ROWS ? 0 : this.#attacks.length;
  }

  /** `deepwordbug  95.0 % (91-97)`; of an attack that goes on, also how many examples it has tried: before half of them no rate, because short searches end first. */
  row(at: number): string {
    const name = this.#attacks[at]!;
    const { done, attacked, succeeded } = this.#tallies.get(name)!;
    const rate = wilson(succeeded, attacked);
    const column = Math.max(...this.#attacks.map((each) => visible(each).length)) + 2;
    const value = rate.value === null || 2 * done < this.#examples ? '-' : `${percent(rate.value)} (${interval(rate)})`;
    return `${visible(name).padEnd(column)}${value}${done >= this.#examples ? '' : `  ${done}/${this.#examples}`}`;
  }

  /** The last success: attack, example and, in `room` characters, the text with its changes; undefined before one. */
  lastSuccess(room: number, changes: (before: string, after: string, room: number) => string): string | undefined {
    if (this.#last === undefined) return undefined;
    const { attack, id, text, adversarial = '' } = this.#last;
    const head = visible(`Flipped by ${attack}, ${id}: `);
    return `${head}${changes(text, adversarial, Math.max(0, room - head.length))}`;
  }
}
