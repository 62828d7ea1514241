/** @file What comparing models on the same examples, attacks and seed gives. Types only. */
import type { DecisionRule } from './decision.js';
import type { DecisionDifference } from './decision-difference.js';
import type { LeftOut } from './left-out.js';
import type { Overridden } from './override.js';
import type { Difference, Rate } from './rate.js';

/** Two rates over the same examples. Examples that errored for either model are in neither. */
export interface PairedRates {
  readonly a: Rate;
  readonly b: Rate;
  /** b - a, Newcombe's paired interval. */
  readonly difference: Difference;
  /** Exact two-sided McNemar test; null without examples. */
  readonly mcnemarP: number | null;
}

/** A figure of the decision on the unedited texts, of both models on the examples that both answered. */
export interface FigureComparison {
  /** As the requirements of a gate call it behind `clean.`: `recall`, `microF1`, `regression.pearson`, `labelSets.perLabel.threat.recall`. */
  readonly metric: string;
  /** The label whose own figure it is. */
  readonly label?: string;
  readonly higherIsBetter: boolean;
  /** Fractions of 1, but for errors, which are in the unit of the numbers; null where the figure is not defined. */
  readonly a: Rate;
  readonly b: Rate;
  /** b - a: Newcombe's paired interval for proportions of the same texts, else that of the paired bootstrap. */
  readonly difference: Difference;
  /** Two-sided: exact McNemar test for proportions, else paired bootstrap; null where there is no difference. */
  readonly p: number | null;
  /** Holm's correction over the figures. */
  readonly adjustedP: number | null;
}

/** Of a detector: recall of the positives, and false positive rate of the negatives, as far as the attacks are after them. */
export interface DetectedUnderAttack {
  readonly recallUnderAttack?: PairedRates & { readonly adjustedP: number | null };
  readonly falsePositiveRateUnderAttack?: PairedRates & { readonly adjustedP: number | null };
}

/** Accuracy under one attack (or under any of a suite), and what is made of it. */
export interface AttackComparison extends PairedRates, DetectedUnderAttack {
  readonly name: string;
  readonly suite: string | null;
  /** Holm's correction over the attacks (over the suites, for suites); null where the p-value is. */
  readonly adjustedP: number | null;
  /** ASR over the examples that both models read right unedited: the difficulty of the texts is then the same. */
  readonly attackSuccessRate: PairedRates;
}

/** An example on which the models differ. */
export interface ChangedExample {
  readonly id: string;
  /** Under which attack; null: unedited. Listed under attacks are only examples that both models read right unedited. */
  readonly attack: string | null;
  readonly text: string;
  /** The other text of a pair. */
  readonly text2?: string;
  /** The text that breaks the model which does not withstand. Absent for unedited texts and attacks outside text space. */
  readonly adversarial?: string;
}

/** Adversarial texts made against one model, read by another. */
export interface TransferRate {
  readonly from: string;
  readonly to: string;
  readonly attack: string;
  /** Share misread, of those whose unedited text the other model reads right. */
  readonly rate: Rate;
}

export interface ComparedModel {
  readonly name: string;
  readonly sha256: string;
  /** The run that holds its outcomes. */
  readonly run: string;
  /** Why nothing measured on it says anything; absent where it does. */
  readonly degenerate?: readonly string[];
}

/** An attack that the run of one of the models, or of both, left out. */
export interface LeftOutOf extends LeftOut {
  /** Whose reason it is. */
  readonly by: 'a' | 'b';
}

/** Model B against model A. */
export interface Comparison {
  readonly models: readonly [ComparedModel, ComparedModel];
  /** Accuracy on the unedited texts: of label sets the share of sets that are right, of numbers the share within delta. */
  readonly clean: PairedRates;
  /** The goal of the attacks, by which their rates are named. */
  readonly goal?: string;
  /** What each decides; both of one kind. These two are absent where the most probable label is decided. */
  readonly decisions?: readonly [DecisionRule, DecisionRule];
  /** The figures by which such a decision is judged. */
  readonly figures?: readonly FigureComparison[];
  /** Absent where both decide alike. */
  readonly decisionDifference?: DecisionDifference;
  readonly attacks: readonly AttackComparison[];
  /** Attacks that were not carried out on both, and are therefore in none of the figures. Absent where there are none. */
  readonly leftOut?: readonly LeftOutOf[];
  /** Of suites with several attacks: an example is broken when any of them broke it. */
  readonly suites: readonly AttackComparison[];
  /** Under any of the attacks. */
  readonly overall: PairedRates & DetectedUnderAttack;
  /** A withstands, B does not; and the reverse. The first 1,000 of each. */
  readonly newlyBroken: readonly ChangedExample[];
  readonly newlyMended: readonly ChangedExample[];
}

/** The document of `robust compare`: the second model against the first, then any further ones. */
export interface ComparisonReport extends Omit<Comparison, 'models'> {
  readonly models: readonly ComparedModel[];
  readonly data: { readonly name: string; readonly sha256: string; readonly examples: number };
  readonly seed: number;
  /** The third model against the first, and so on. */
  readonly further: readonly Comparison[];
  readonly transfer: readonly TransferRate[];
  /** Inconclusive where one of the runs is, or they share no example; else a comparison judges nothing. */
  readonly verdict: 'inconclusive' | 'none';
  /** Why it is inconclusive. */
  readonly reasons: readonly string[];
  readonly toolVersion: string;
  /** Present where environment variables decided settings. */
  readonly provenance?: Overridden;
  readonly command: string;
}
