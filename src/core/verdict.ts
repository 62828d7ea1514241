/** @file What a gate says of a run. Types only. */
import type { DecisionRule } from './decision.js';
import type { DecisionDifference } from './decision-difference.js';
import type { Difference, Rate } from './rate.js';

export type Verdict = 'passed' | 'failed' | 'inconclusive' | 'none';

/** A rule that was broken although its owner was told, until a day: it is reported and does not fail the gate. */
export interface Waiver {
  readonly metric: string;
  readonly owner: string;
  readonly reason: string;
  /** The last day it holds, YYYY-MM-DD in UTC. */
  readonly expires: string;
}

/** A threshold and what the run made of it. */
export interface JudgedThreshold {
  /** `<suite | attack | overall | clean>.<metric>`. */
  readonly metric: string;
  readonly level: 'error' | 'warn';
  /** As it was written: `<= 0.30`. */
  readonly expected: string;
  /** `low` and `high` are null for a figure without an interval, `value` too for one that could not be measured. */
  readonly actual: Rate;
  /** Which of `actual` is held against the limit. */
  readonly ci: 'value' | 'lower' | 'upper';
  readonly verdict: Exclude<Verdict, 'none'>;
  /** Why it is inconclusive. */
  readonly reason?: string;
  /** Attacks that `actual` is measured without, because the run left them out. */
  readonly without?: readonly string[];
  /** Present where the verdict does not count because somebody answers for it. */
  readonly waiver?: Waiver;
}

/** One figure of the baseline against the run's, on the examples for which both have it. */
export interface JudgedChange {
  /** An attack's name; `clean` for the figures on unedited texts. */
  readonly name: string;
  /** As a requirement calls it behind that name: `attackSuccessRate`, `recall`, `labelSets.perLabel.threat.recall`, `regression.pearson`. */
  readonly metric: string;
  readonly higherIsBetter: boolean;
  /** Fractions of 1, but for errors, which are in the unit of the numbers. */
  readonly baseline: Rate;
  readonly current: Rate;
  /** Current minus baseline. */
  readonly difference: Difference;
  /** Examples that became worse, and better: broken or wrong now and not then, and the other way round. Only of proportions of the same texts. */
  readonly worse?: number;
  readonly better?: number;
  /** One-sided (has it become worse?): exact McNemar test for proportions, else paired bootstrap; and with Holm's correction for the number of changes judged. */
  readonly p: number;
  readonly adjustedP: number;
  /** Present of a label with too few texts to be judged by itself: what is inconclusive about it does not count. */
  readonly level?: 'warn';
  readonly verdict: Exclude<Verdict, 'none'>;
  readonly reason?: string;
}

/** What a gate says of a run. */
export interface GateResult {
  readonly verdict: Exclude<Verdict, 'none'>;
  readonly thresholds: readonly JudgedThreshold[];
  readonly baseline?: {
    readonly file: string;
    readonly model: { readonly name: string; readonly sha256: string };
    /** The change for the worse that is let pass: absolute of rates, areas and correlations, relative to the baseline of errors. */
    readonly maxIncrease: number;
    /** What both decide; absent where that is the most probable label. */
    readonly decision?: DecisionRule;
    /** The thresholds of both, where they differ although the same rule found them; absent where they do not. */
    readonly decisionDifference?: DecisionDifference;
    readonly verdict: Exclude<Verdict, 'none'>;
    readonly changes: readonly JudgedChange[];
  };
  /** What else kept the gate from passing: "no attack was tried on any example". */
  readonly reasons: readonly string[];
}
