/** @file Interface of the data behind the pages. Types only. */
import type { DecisionRule } from '../core/decision.js';
import type { Outcome } from '../core/outcome.js';
import type { Rate } from '../core/statistics/rate.js';
import type { ComparisonReport } from '../results/comparison/comparison.js';
import type { ExplanationReport } from '../results/report/explanation.js';
import type { Report } from '../results/report/report.js';
import type { GateResult } from '../results/report/verdict.js';

/** A model's answer to a text. */
export interface PlaygroundAnswer {
  readonly model: string;
  /** The label or labels decided, or the number, as people read it. */
  readonly said: string;
  /** For a detector: its score and threshold, in words. */
  readonly note?: string;
  /** Any number of labels may hold: each has a box. */
  readonly boxes?: true;
  /** The score of each label, from 0 to 1; of a model that answers a number none. `threshold`: from where on the label counts. */
  readonly scores: readonly {
    readonly label: string;
    readonly score: number;
    readonly decided: boolean;
    readonly threshold?: number;
  }[];
}

/** Facts about a model for the form. */
export interface ModelFacts {
  /** How its scores are decided by, in words. */
  readonly decision: string;
  /** Possible goals of an attack, by the names of --goal and in words. */
  readonly goals: readonly { readonly name: string; readonly title: string }[];
  /** Labels one of which may be the true one, where the model decides one label. */
  readonly truths: readonly string[];
  /** For a model of pairs: names of the two texts, in the order in which it reads them. */
  readonly texts?: readonly [string, string];
}

/** A text, or the second text of a pair with the first one. */
export interface AskedText {
  readonly text: string;
  readonly first?: string;
}

/** Words for the end of an attack. */
export type AttackWords = Readonly<Record<'succeeded' | 'failed' | 'skipped', string>>;

/** The closest of the texts that an attack has queried. */
export interface AttackStep {
  readonly text: string;
  /** Queries so far. */
  readonly queries: number;
  /** How sure the model is of what it said at first, from 0 to 1. */
  readonly confidence: number;
  /** The same in words. */
  readonly said: string;
  /** Closer than all before it. */
  readonly closest: boolean;
}

export interface AttackQuestion extends AskedText {
  readonly model: string;
  readonly attack: string;
  /** As --goal takes it. @default what fits the answer to the unedited text */
  readonly goal?: string;
  /** The true label. @default what the model answers */
  readonly truth?: string;
}

/** Result of an attack on a text. */
export interface AttackEnd {
  readonly outcome: Outcome;
  readonly labels: readonly string[];
  /** Absent where the most probable label is decided. */
  readonly rule?: DecisionRule;
  readonly words: AttackWords;
}

/** A run as a list shows it. */
export interface ListedRun {
  /** Begins with when it was begun, UTC. */
  readonly id: string;
  readonly status: 'running' | 'interrupted' | 'done';
  readonly model: string;
  readonly data: string;
  readonly attacks: readonly string[];
  readonly examples: number | undefined;
  /** Why it cannot be read. */
  readonly fault?: string;
}

/**
 * The rates of all attacks of a finished run together, over the same examples, and the attack with the highest success rate; or why they cannot be
 * read.
 */
export type RunRates =
  | { readonly clean: Rate; readonly underAttack: Rate; readonly headline: string }
  | { readonly fault: string };

/** Settings of a run that the page starts. */
export interface RunQuestion {
  readonly model: string;
  readonly data: string;
  readonly suites: readonly string[];
  readonly attacks: readonly string[];
  /** 0: all. */
  readonly examples: number;
  readonly seed: number;
}

/** The run that the page started last. */
export interface StartedRun {
  readonly question: RunQuestion;
  readonly status: 'running' | 'done' | 'stopped' | 'failed';
  /** Its id, once it is known. */
  readonly run?: string;
  /** How far it is, or how it ended. */
  readonly words: string;
  /** Share that is done, where it is known. */
  readonly share?: number | undefined;
}

/** An attack as the page offers it. */
interface OfferedAttack {
  /** As a run takes it: `zero-width:max-words=1000`. */
  readonly spec: string;
  readonly name: string;
  readonly summary: string;
}

/** A finished run judged by the limits that stand now. */
export interface JudgedRun {
  readonly id: string;
  readonly model: string;
  readonly data: string;
  readonly verdict: Report['verdict'];
  readonly gate?: GateResult | undefined;
  /** Why it cannot be judged. */
  readonly fault?: string;
}

/** A text as the reader of a blind review sees it, or both texts of a pair. */
export interface ReviewItem {
  readonly id: string;
  readonly texts: readonly [string] | readonly [string, string];
}

interface ReadingProgress {
  readonly answered: number;
  readonly total: number;
}

interface ReadingDetails {
  readonly seconds: number;
  readonly note: string;
}

/** The blind review of a run by one reader. Each answer is stored when the method returns. */
export interface ReviewSession {
  readonly reader: string;
  readonly question: {
    /** `labels`: any number of options fits. */
    readonly kind: 'label' | 'detection' | 'labels';
    readonly prompt: string;
    readonly options: readonly { readonly name: string }[];
  };
  readonly progress: ReadingProgress;
  /** Undefined at the end. */
  next(): ReviewItem | undefined;
  /** `answer`: the index of an option, ascending indices for `labels`, null from an unsure reader. Throws RobustError. */
  answer(id: string, answer: number | readonly number[] | null, details: ReadingDetails): void;
  /** Takes the last answer back. */
  undo(): unknown;
}

/** The rooms below, as the pages ask them. What they throw is a RobustError where a user can act on it. */
export interface UiSource {
  /** Names of the models that may be queried. */
  readonly models: readonly string[];
  /** Names of data sets that a run may use; no others may. */
  readonly data: readonly string[];
  /** Attacks that may be tried, each under the first suite that has it. */
  readonly attacks: readonly {
    readonly suite: string;
    /** Attacks of the whole suite. */
    readonly size: number;
    readonly members: readonly OfferedAttack[];
  }[];
  /** Starts a run, one at a time. Throws RobustError. */
  start(question: RunQuestion): void;
  /** Undefined before the first. */
  current(): StartedRun | undefined;
  /** Calls `changed` with each new state, until the run has ended or `signal` is aborted. */
  follow(changed: (state: StartedRun) => void, signal: AbortSignal): Promise<void>;
  /** Ends the run; what it has found is kept. */
  stop(): void;
  answer(model: string, question: AskedText): Promise<PlaygroundAnswer>;
  /** Facts about one of these models. */
  about(model: string): Promise<ModelFacts>;
  /** Undefined where `signal` ended it. */
  attack(
    question: AttackQuestion,
    step: (now: AttackStep) => void,
    signal: AbortSignal,
  ): Promise<AttackEnd | undefined>;
  explain(
    models: readonly string[],
    question: AskedText,
    methods: readonly string[],
    signal: AbortSignal,
  ): Promise<ExplanationReport>;
  /** The newest first, by what their records say. */
  runs(): Promise<readonly ListedRun[]>;
  /** Rates of a finished run, from its outcomes. */
  rates(run: string): Promise<RunRates>;
  report(run: string): Promise<Report>;
  compare(runs: readonly string[]): Promise<ComparisonReport>;
  /** Opens or resumes a reader's session, and designs the review if the run has none. Throws RobustError. */
  review(run: string, reader: string): Promise<ReviewSession>;
  /** The oldest first; undefined where no limits stand anywhere. */
  listJudged(): Promise<readonly JudgedRun[] | undefined>;
}
