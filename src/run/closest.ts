import type { Outcome } from '../core/outcome.js';

const CLOSEST_KEPT = 10;

/** Share of the words changed; insertions that touch no word count as one. */
const effort = ({ changed, words }: Outcome): number => Math.max(1, changed) / Math.max(1, words);
const swing = ({ scoreBefore, scoreAfter }: Outcome): number => scoreBefore - scoreAfter;
const compare = (a: Outcome, b: Outcome): number => effort(a) - effort(b) || swing(b) - swing(a);

/**
 * The successes closest to their originals: the smallest share of words changed first, then the largest fall of the true
 * label's probability, then canonical order. Of one example only its best, lest one weak text fills the list.
 */
export class ClosestOutcomes {
  /** Best first, at most ten. */
  readonly list: Outcome[] = [];

  /** To be called in canonical order: the earlier of two equals stays ahead. */
  add(outcome: Outcome): void {
    if (outcome.adversarial === undefined) return;
    const same = this.list.findIndex(({ id }) => id === outcome.id);
    if (same >= 0) {
      if (compare(outcome, this.list[same] as Outcome) >= 0) return;
      this.list.splice(same, 1);
    }
    const at = this.list.findIndex((other) => compare(outcome, other) < 0);
    this.list.splice(at < 0 ? this.list.length : at, 0, outcome);
    if (this.list.length > CLOSEST_KEPT) this.list.pop();
  }
}
