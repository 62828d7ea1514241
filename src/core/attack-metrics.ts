/** @file What attacks achieved, over all examples. Types only. */
import type { AttackRates, DetectorRates } from './attack-rates.js';
import type { MeanQuality } from './measures/quality.js';
import type { Queries } from './outcome.js';
import type { Rate } from './rate.js';

/** What the outcomes of an attack add up to. The values of its own measures stand beside these, each under its name (core/measure.ts). */
export interface AttackFigures extends AttackRates {
  readonly succeeded: number;
  readonly failed: number;
  /** Of the failed: those whose strongest text leaves the prediction on the line, within the victim's noise. */
  readonly tied: number;
  readonly skipped: number;
  readonly errored: number;
  /** Of the failed: those where nothing could be tried or the search could not end, by the reason, the most frequent first. */
  readonly untried?: readonly { readonly reason: string; readonly n: number }[];
  /**
   * Present where the attack could edit next to nothing of most texts (core/reach.ts), as of texts in a script without spaces: no gate passes a
   * threshold on it. `notApplicable.n` counts these texts, which are among the failed.
   */
  readonly applicable?: false;
  readonly notApplicable?: { readonly n: number; readonly reason: string };
  /** Mean fraction of words changed, over successes; null without any. */
  readonly perturbedWords: number | null;
  /** Mean over the examples attacked. */
  readonly queries: Queries;
  readonly perClass: readonly { readonly label: string; readonly attackSuccessRate: Rate }[];
  /** Of the adversarial texts, where some were measured. */
  readonly quality?: MeanQuality;
  /** Medians of the attack's own figures over the examples attacked. */
  readonly details?: Readonly<Record<string, number>>;
}

export interface AttackMetrics extends AttackFigures {
  readonly name: string;
  readonly suite: string | null;
  readonly constraints: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  /** Present where a success is something else than a turned prediction: not part of `overall`. */
  readonly ownGoal?: true;
  /** Wall time; the only figure here that differs between two equal runs. */
  readonly seconds: number;
}

/** Rates of several attacks together: an example is broken when any of them broke it. */
export interface CombinedRates extends AttackRates, DetectorRates {
  /** Examples that count as withstood although none of the attacks could try anything on them. Absent where there are none. */
  readonly untried?: number;
}

export interface SuiteMetrics extends CombinedRates {
  readonly name: string;
  /** Names of the attacks that ran for it. */
  readonly attacks: readonly string[];
}
