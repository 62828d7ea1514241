/** @file What attacks achieved, over all examples. Types only. */
import type { Probe, Quality, Queries, Relation } from './outcome.js';
import type { Rate } from './rate.js';

export interface AttackMetrics {
  readonly name: string;
  readonly suite: string | null;
  readonly constraints: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  /** Present where a success is something else than a turned prediction: not part of `overall`. */
  readonly ownGoal?: true;
  readonly succeeded: number;
  readonly failed: number;
  readonly skipped: number;
  readonly errored: number;
  /** Of the failed: those where nothing could be tried or the search could not end, by the reason, the most frequent first. */
  readonly untried?: readonly { readonly reason: string; readonly n: number }[];
  /**
   * Present where the attack could edit next to nothing of most texts (core/reach.ts), as of texts in a script without spaces. These texts
   * are then no failures: they are in none of the counts and rates, and no gate passes a threshold on it.
   */
  readonly applicable?: false;
  readonly notApplicable?: { readonly n: number; readonly reason: string };
  readonly attackSuccessRate: Rate;
  readonly accuracyUnderAttack: Rate;
  /** Mean fraction of words changed, over successes; null without any. */
  readonly perturbedWords: number | null;
  /** Mean over the examples attacked. */
  readonly queries: Queries;
  readonly perClass: readonly { readonly label: string; readonly attackSuccessRate: Rate }[];
  /** Of attacks on embeddings: success rate of random noise of the same size, over the examples attacked. */
  readonly noise?: Rate;
  /** Of attacks on embeddings: success rate of the nearest tokens, read as text. */
  readonly asText?: Rate;
  /** Accuracy against the size of the perturbation, and of noise: what is already wrong counts as wrong. */
  readonly sweep?: readonly {
    readonly size: number;
    readonly accuracyUnderAttack: Rate;
    readonly accuracyUnderNoise: Rate;
  }[];
  /** Of behavioural tests: a line for each capability and relation. A failed probe need not be a successful attack. */
  readonly capabilities?: readonly CapabilityMetrics[];
  /** Over the `n` successes measured; of them `duplicates` have a text that another attack of the run found for the same example. */
  readonly quality?: Quality & { readonly n: number; readonly duplicates: number };
  /** Medians of the attack's own figures over the examples attacked. */
  readonly details?: Readonly<Record<string, number>>;
  /** Wall time; the only figure here that differs between two equal runs. */
  readonly seconds: number;
}

/** How often the victim failed the probes of one capability and relation. */
export interface CapabilityMetrics {
  readonly capability: string;
  readonly relation: Relation;
  /** Probes; a template's text counts once in a run. */
  readonly n: number;
  readonly failed: number;
  readonly failureRate: Rate;
  /** A few failures, those first of which the victim is surest. `id` is the example's, absent for templates. */
  readonly samples: readonly (Omit<Probe, 'capability' | 'relation' | 'original'> & {
    readonly id?: string;
    readonly original: string;
  })[];
}

/** Rates of several attacks together: an example is broken when any of them broke it. */
export interface CombinedRates {
  readonly attackSuccessRate: Rate;
  readonly accuracyUnderAttack: Rate;
  /** Examples that count as withstood although none of the attacks could try anything on them. Absent where there are none. */
  readonly untried?: number;
}

export interface SuiteMetrics extends CombinedRates {
  readonly name: string;
  /** Names of the attacks that ran for it. */
  readonly attacks: readonly string[];
}
