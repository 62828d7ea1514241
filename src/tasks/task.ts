/**
 * @file A kind of task, as everybody else sees it: how scores become an answer, what an attack may want, what the clean pass measures, how two
 * runs are compared, what reports, pages, servers and reviewers say.
 */
import type { z } from 'zod';
import type { Example } from '../core/dataset.js';
import type { Decision, DecisionRule, Truth } from '../core/decision.js';
import type { RuleKind } from '../core/decision-schema.js';
import type { Outcome } from '../core/outcome.js';
import type { ComponentPlugin } from '../core/plugin.js';
import type { Goal } from '../core/search.js';
import type { CleanMetrics } from '../results/clean/clean-metrics.js';
import type { DecisionDifference } from '../results/comparison/decision-difference.js';
import type { PairedFigure } from '../results/comparison/paired-figures.js';
import type { Measure, Metric } from '../results/measures/measure.js';

/** The rule of a decision; `never` of those that have none. */
type RuleOf<D extends Decision> = Extract<D['rule'], DecisionRule>;

/** How a rule decides. */
export interface Deciding<D extends Decision> {
  readonly kind: RuleKind<RuleOf<D>>;
  /** Throws RangeError if the rule does not fit the labels. */
  decision(rule: RuleOf<D>, labels: readonly string[], noise: number): D;
  /** A short description: "jailbreak from a score of 0.83 on". */
  text(rule: RuleOf<D>): string;
}

/** What an attack may want. */
export interface Goals<D extends Decision> {
  /** The goal by default, as --goal takes it. */
  readonly usual: string;
  /** A wrong answer of any kind. Throws RobustError if the task has no such goal. */
  untargeted(decision: D): Goal;
  /** The label with this index. Throws RobustError if the task has no such goal. */
  targeted(decision: D, target: number): Goal;
  /** Goals of this task only. */
  readonly own: readonly ComponentPlugin<'goal'>[];
}

export interface CleanFold {
  /** Throws RangeError if the true answer or the row does not match the labels. */
  add(truth: Truth, row: Float32Array): void;
  metrics(): CleanMetrics;
}

/** Why data and model seem to mean opposite things. */
interface Mismatch {
  readonly message: string;
  readonly hint: string;
}

/** What is measured. */
export interface Measuring<D extends Decision> {
  /** Folds the answers to unedited texts. */
  clean(decision: D, labels: readonly string[], beta: number): CleanFold;
  /** Additional measures of attacks. The same list for the same decision and labels, because measures are compared by identity. */
  measures(decision: D, labels: readonly string[]): readonly Measure[];
  /** Present if a row holds a number without bounds, not probabilities. */
  readonly unbounded?: true;
  /** Whether data and model seem to mean opposite things. */
  mismatch?(model: string, rule: RuleOf<D>, labels: readonly string[], clean: CleanMetrics): Mismatch | undefined;
  /** Present if a text may have any number of labels. */
  readonly manyLabels?: true;
}

/** Answers of a run to unedited texts, as baselines store them. */
export interface StoredAnswers {
  readonly kind: string;
}

/** How two runs over the same examples are compared. */
export interface Comparing<R extends DecisionRule, A extends StoredAnswers> {
  readonly schema: z.ZodType<A> & z.core.$ZodTypeDiscriminable;
  /** Collects answers from outcomes, each example once at its index. */
  collect(rule: R, labels: readonly string[]): AnswerCollector<A>;
  /** Columns with an entry for each example. */
  columns(answers: A): readonly { readonly length: number }[];
  /** The answers of these examples, in this order. */
  inOrder(answers: A, places: readonly number[]): A;
  /** Whether stored answers are those of this rule and these labels. */
  fits?(answers: A, rule: R, labels: readonly string[]): boolean;
  figures(a: ComparedRun<R, A>, b: ComparedRun<R, A>, seed: number): PairedFigure[];
  /** Present if labels are detected: `1` for the examples that should be. */
  sides?(answers: A): string;
  /** Figures under an attack besides its success, from the letters of its outcomes. */
  underAttack?(answers: A, then: AttackedRun, now: AttackedRun): PairedFigure[];
  /** Undefined if both decide alike. */
  difference(a: LabelledRule<R>, b: LabelledRule<R>): DecisionDifference | undefined;
  /** What a difference of the decisions alone does to the figures, in one sentence or two. */
  readonly effect: string;
}

export interface AnswerCollector<A extends StoredAnswers = StoredAnswers> {
  add(at: number, outcome: Outcome): void;
  /** Answers of `size` examples; missing ones count as not answered. */
  answers(size: number): A;
}

export interface ComparedRun<R extends DecisionRule = DecisionRule, A extends StoredAnswers = StoredAnswers> {
  readonly rule: R;
  readonly answers: A;
}

interface LabelledRule<R extends DecisionRule = DecisionRule> {
  readonly rule: R;
  readonly labels: readonly string[];
}

/** Letters of a run's examples: whether each was right, and the outcome of an attack. */
export interface AttackedRun {
  readonly clean: string;
  readonly outcomes: string;
}

type RateWord = Omit<Metric, 'key' | 'unit'>;

/** Names of the rates before an attack and under it. */
export interface RateWords {
  readonly original: RateWord;
  readonly underAttack: RateWord;
}

/** What reports say. `D` is known by its rule. */
export interface Words<R extends DecisionRule> {
  /** `goal`: the name of the attack's goal; empty where it is not known. */
  rates(rule: R, goal: string, labels: readonly string[]): RateWords;
  /** What the accuracy is, in a sentence: "sets correct". */
  accuracy(rule: R): string;
  /** Present if figures under attack keep the names that they have without one: "recall under attack". */
  readonly sameNames?: true;
  /** What the model gives each text, if it is not one label: "a number for each text". */
  readonly each?: string;
  /** What the model answers, in one line. */
  answers(rule: R): string;
}

/** The answer of a model as a page shows it. */
export interface PageAnswer {
  readonly said: string;
  readonly note?: string;
  readonly boxes?: true;
  readonly scores: readonly {
    readonly label: string;
    readonly score: number;
    readonly decided: boolean;
    readonly threshold?: number;
  }[];
}

/** The words for a success, a failure and a text that was not attacked. */
interface AttackWords {
  readonly succeeded: string;
  readonly failed: string;
  readonly skipped: string;
}

/** A score from 1 (as at first) down, and in words. */
export interface AttackStep {
  readonly confidence: number;
  readonly said: string;
}

/** What a page shows. */
export interface Page<D extends Decision> {
  answer(decision: D, labels: readonly string[], row: Float32Array): PageAnswer;
  /** The model's answer, taken as the truth that an attack is to change. */
  truth(decision: D, row: Float32Array): Truth;
  /** Goals by name, as --goal takes them, and in words. */
  readonly goals: readonly [GoalWords, ...GoalWords[]];
  /** Present if one of the labels is the true one. */
  readonly oneTruth?: true;
  /** The goal that fits an answer. @default the first */
  goalFor?(decision: D, row: Float32Array): string;
  /** `said`: the answer to the unedited text, `known`: that its truth was given. @default those of a label */
  words?(goal: string): AttackWords;
  step(decision: D, example: Example, row: Float32Array): AttackStep;
}

type GoalWords = readonly [name: string, title: string];

/** The quantity that explains an answer. */
export interface ExplainedAnswer {
  readonly label: number;
  /** Present if it is not the score of the label. */
  readonly score?: { readonly name: string; of(row: ArrayLike<number>): number } | undefined;
}

/** How a decision is explained. */
export interface Explaining<R extends DecisionRule> {
  /** The score that the rule compares with its threshold. @default that of the most probable label */
  answer?(rule: R, labels: readonly string[]): ExplainedAnswer;
  /** The threshold of the explained score; undefined if the rule has none for it. */
  threshold(rule: R, answer: ExplainedAnswer, labels: readonly string[]): number | undefined;
}

/** What a reader of a review is asked. */
interface Question {
  readonly kind: 'detection' | 'labels' | 'label';
  readonly prompt: string;
  /** Present if the options are not the labels. */
  readonly options?: readonly { readonly name: string }[];
}

export interface Reviewing<D extends Decision> {
  question(decision: D, pair: boolean): Question;
  truth(decision: D, outcome: Outcome): number | number[];
}

export interface Task<D extends Decision = Decision, A extends StoredAnswers = StoredAnswers> {
  /** The kind of its rule; `argmax` and `tags` have none. */
  readonly name: string;
  /** What data give each text, if it is not a label. */
  readonly truths?: { readonly labelSets?: true; readonly numbers?: true; readonly tags?: true };
  /** Absent if it has no rule. */
  readonly deciding?: Deciding<D>;
  readonly goals: Goals<D>;
  readonly measuring: Measuring<D>;
  /** Absent if two runs are compared by what is right only. */
  readonly comparing?: Comparing<RuleOf<D>, A>;
  readonly words?: Words<RuleOf<D>>;
  readonly page: Page<D>;
  /** Absent if the explained score is that of a label, and no threshold decides. */
  readonly explaining?: Explaining<RuleOf<D>>;
  /** Absent if readers have nothing to choose among. */
  readonly review?: Reviewing<D>;
  /** The decision by a row of scores, as plain JSON. */
  serve(decision: D, labels: readonly string[], row: Float32Array): object;
}
