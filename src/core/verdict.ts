/** @file What a gate says of a run. Types only. */
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

/** One rate of the baseline against the run's, on the examples for which both have it. */
export interface JudgedChange {
  /** An attack's name; `clean` for the accuracy on unedited texts. */
  readonly name: string;
  readonly metric: 'attackSuccessRate' | 'accuracy';
  readonly baseline: Rate;
  readonly current: Rate;
  /** Current minus baseline. */
  readonly difference: Difference;
  /** Examples that became worse, and better: broken or wrong now and not then, and the other way round. */
  readonly worse: number;
  readonly better: number;
  /** Exact McNemar, one-sided (has it become worse?), and with Holm's correction for the number of changes judged. */
  readonly p: number;
  readonly adjustedP: number;
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
    /** Rise of an attack success rate, or fall of the accuracy, that is let pass. */
    readonly maxIncrease: number;
    readonly verdict: Exclude<Verdict, 'none'>;
    readonly changes: readonly JudgedChange[];
  };
  /** What else kept the gate from passing: "no attack was tried on any example". */
  readonly reasons: readonly string[];
}
