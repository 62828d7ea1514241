/**
 * @file Folds outcomes into figures. A fold takes one item at a time and stores only integers, so the result does not depend on
 * the order of the items (resumed runs, merged shards), to the last bit.
 */
import { type Decision, mostProbable } from '../core/decision.js';
import { defined } from '../core/defined.js';
import { must } from '../core/errors.js';
import { type Outcome, wasAttacked } from '../core/outcome.js';
import { sum, wilson } from '../core/statistics/stats.js';
import { ratio } from './clean/class-scores.js';
import type { AttackFigures, CombinedRates } from './measures/attack-metrics.js';
import { attackRates, detectorRates, type Standing, type StandingCounts, standingOf } from './measures/attack-rates.js';
import { GENERAL_MEASURES } from './measures/index.js';
import type { Measure, MeasureFold } from './measures/measure.js';
import { inapplicable, outOfReach } from './measures/reach.js';
import { untriedReason } from './measures/untried.js';

/**
 * Folds the outcomes of one attack. The rates are defined in measures/attack-rates.ts; `perturbedWords` is over successes in text space,
 * `queries` over succeeded and failed.
 */
export class AttackFold {
  readonly #labels: readonly string[];
  readonly #counts = { succeeded: 0, failed: 0, tied: 0, skipped: 0, errored: 0 };
  readonly #classes: { succeeded: number; failed: number }[];
  readonly #queries = { asked: 0, computed: 0 };
  /** Words in the text -> words changed, over the successes. Integers, because a sum of fractions would depend on the order. */
  readonly #changed = new Map<number, number>();
  readonly #measures: ReadonlyMap<string, MeasureFold<unknown>>;
  readonly #standings = { flipped: 0, kept: 0, wrong: 0 };
  #texts = 0;
  #unreached = 0;

  /** `measures`: those of the attack and those of every attack. */
  constructor(labels: readonly string[], measures: readonly Measure[] = GENERAL_MEASURES) {
    this.#labels = labels;
    this.#classes = labels.map(() => ({ succeeded: 0, failed: 0 }));
    this.#measures = new Map(measures.map((measure) => [measure.name, measure.fold()]));
  }

  /** `index`: the example's position in the run. */
  add(outcome: Outcome, index: number): void {
    const { status, label, queries, adversarial, words, changed } = outcome;
    this.#counts[status] += 1;
    // A tie counts as a failure.
    if (status === 'tied') this.#counts.failed += 1;
    const standing = standingOf(outcome);
    if (standing !== undefined) this.#standings[standing] += 1;
    for (const fold of this.#measures.values()) fold.add(outcome, index);
    if (!wasAttacked(status)) return;
    // Texts without a true label count in no class.
    const ofClass = this.#classes[label];
    if (ofClass !== undefined) ofClass[status === 'succeeded' ? status : 'failed'] += 1;
    if (outOfReach(outcome)) this.#unreached += 1;
    this.#queries.asked += queries.asked;
    this.#queries.computed += queries.computed;
    if (status === 'succeeded' && adversarial !== undefined) {
      this.#texts += 1;
      this.#changed.set(words, (this.#changed.get(words) ?? 0) + changed);
    }
  }

  metrics(): AttackFigures {
    const attacked = this.#counts.succeeded + this.#counts.failed;
    const why = inapplicable(this.#unreached, attacked);
    const byLength = [...this.#changed].sort(([a], [b]) => a - b);
    const changed = sum(byLength.map(([words, edits]) => ratio(edits, words)));
    const { untried, ...measured } = this.#measureValues();
    return {
      ...this.#counts,
      ...(why !== undefined && { applicable: false as const, notApplicable: { n: this.#unreached, reason: why } }),
      ...defined({ untried }),
      ...attackRates(this.#standings),
      perturbedWords: this.#texts === 0 ? null : changed / this.#texts,
      queries: { asked: ratio(this.#queries.asked, attacked), computed: ratio(this.#queries.computed, attacked) },
      perClass: this.#classes.map((one, at) => ({
        label: must(this.#labels[at]),
        attackSuccessRate: wilson(one.succeeded, one.succeeded + one.failed),
      })),
      ...measured,
    };
  }

  /** Name of a measure -> its value, if there is one. */
  #measureValues(): Pick<AttackFigures, 'untried'> {
    return Object.fromEntries(
      [...this.#measures].flatMap(([name, fold]) => {
        const value = fold.value();
        return value === undefined ? [] : [[name, value]];
      }),
    );
  }
}

type OutcomeStatus = Pick<Outcome, 'status' | 'reason' | 'queries'> & Partial<Pick<Outcome, 'label'>>;

/**
 * Outcomes by precedence when an example was attacked by several attacks. An error leaves the example undecided unless another attack
 * flipped it.
 */
const STATES: readonly (Standing | 'none' | 'untried' | 'errored')[] = [
  'none',
  'wrong',
  'untried',
  'kept',
  'errored',
  'flipped',
];

/** Folds the outcomes of several attacks, of a suite or of all: an example is flipped if any attack flipped it. Two bytes per example. */
export function overallFold(decision: Decision = mostProbable) {
  let worst = new Uint8Array(1024);
  /** Which texts should be detected, if labels are detected. */
  let positive = new Uint8Array(1024);
  return {
    /** `index`: the example's position in the run, from 0. */
    add(index: number, outcome: OutcomeStatus): void {
      const standing = outcome.status === 'errored' ? 'errored' : (standingOf(outcome) ?? 'none');
      const state = untriedReason(outcome) === undefined ? standing : 'untried';
      while (index >= worst.length) {
        worst = doubled(worst);
        positive = doubled(positive);
      }
      if (decision.isPositive?.(outcome.label ?? -1)) positive[index] = 1;
      worst[index] = Math.max(must(worst[index]), STATES.indexOf(state));
    },

    standings: (): StandingCounts => countStates(worst),

    metrics(): CombinedRates {
      const { untried, ...all } = countStates(worst);
      const side = (of: number): StandingCounts => countStates(worst, (index) => positive[index] === of);
      return {
        ...attackRates(all),
        ...(decision.isPositive && detectorRates(side(1), side(0))),
        ...(untried > 0 && { untried }),
      };
    },
  };
}

function doubled(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const longer = new Uint8Array(bytes.length * 2);
  longer.set(bytes);
  return longer;
}

/** Counts by outcome of the examples for which `of` is true. Examples that could not be tried count as kept. */
function countStates(worst: Uint8Array, of: (index: number) => boolean = () => true) {
  const counts = STATES.map(() => 0);
  for (const [index, state] of worst.entries()) if (of(index)) counts[state]! += 1;
  const number = (state: (typeof STATES)[number]): number => must(counts[STATES.indexOf(state)]);
  const untried = number('untried');
  return { flipped: number('flipped'), kept: untried + number('kept'), wrong: number('wrong'), untried };
}
