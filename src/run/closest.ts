import type { Outcome } from '../core/outcome.js';

const CLOSEST_KEPT = 10;

/** Share of the words changed; insertions that touch no word count as one. */
const effort = ({ changed, words }: Outcome): number => Math.max(1, changed) / Math.max(1, words);
const swing = ({ scoreBefore, scoreAfter }: Outcome): number => scoreBefore - scoreAfter;
const compare = (a: Outcome, b: Outcome): number => effort(a) - effort(b) || swing(b) - swing(a);

/**
 * The most informative successes, each example once. Attacks and true classes alternate, so that no attack and no weak class fills the
 * list. Within these, the smallest share of words changed comes first, then the largest fall of the true label's probability, then
 * canonical order.
 */
export class ClosestOutcomes {
  /** The best of each attack and class, as many as the list could need. */
  readonly #groups = new Map<string, Outcome[]>();

  /** To be called in canonical order: the earlier of two equals stays ahead. */
  add(outcome: Outcome): void {
    if (outcome.adversarial === undefined) return;
    const key = JSON.stringify([outcome.attack, outcome.label]);
    const group = this.#groups.get(key) ?? [];
    this.#groups.set(key, group);
    const at = group.findIndex((other) => compare(outcome, other) < 0);
    group.splice(at < 0 ? group.length : at, 0, outcome);
    if (group.length > CLOSEST_KEPT) group.pop();
  }

  /** At most ten. Each is of the attack with the fewest entries so far, then of the class with the fewest, then the closest. */
  get list(): Outcome[] {
    const chosen: Outcome[] = [];
    const left = [...this.#groups.values()].flat();
    const count = (same: (other: Outcome) => boolean): number => chosen.filter(same).length;
    while (chosen.length < CLOSEST_KEPT) {
      const free = left.filter(({ id }) => chosen.every((other) => other.id !== id));
      const [first] = free
        .map((one) => ({
          one,
          ofAttack: count(({ attack }) => attack === one.attack),
          ofClass: count(({ label }) => label === one.label),
        }))
        .sort((a, b) => a.ofAttack - b.ofAttack || a.ofClass - b.ofClass || compare(a.one, b.one));
      if (first === undefined) break;
      chosen.push(first.one);
    }
    return chosen;
  }
}
