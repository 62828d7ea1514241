/**
 * @file Turns a row of scores into an answer, for every part of the program: the most probable label, whether the scores of some labels
 * reach a threshold, all labels that reach theirs, or a number.
 */
import type { Example } from './dataset.js';
import type { DecisionRule, MultiLabelRule, RegressionRule, ThresholdRule } from './decision-schema.js';
import type { Outcome } from './outcome.js';
import type { TagReading } from './output-reading.js';
import { exceedsNoise, leadOverLabel, NO_LABEL, predictedLabel, tiedLabels } from './prediction.js';

export type {
  DecisionRule,
  MultiLabelRule,
  RegressionRule,
  ThresholdRule,
} from './decision-schema.js';

/** The true label, labels or number of a text. */
export type Truth = Pick<Example, 'label' | 'labels' | 'value'>;

export interface Decision {
  /** Absent if the decision is the most probable label. */
  readonly rule?: DecisionRule;
  /** Present if the victim tags: its answers are types of entities, the last label stands for none. */
  readonly tags?: TagReading;
  /** Largest difference between two answers to one text; 0 if the answers do not vary, or if that was not measured. */
  readonly noise: number;
  /** Label of a row; the most probable one of several. -1 without one, or if two tie. */
  label(row: ArrayLike<number>): number;
  /** Labels that tie for the highest score, ascending. Empty if the row is decided. */
  tied(row: ArrayLike<number>): number[];
  /** All labels of a row, ascending. */
  labels(row: ArrayLike<number>): number[];
  /** Whether the answer is correct. */
  right(row: ArrayLike<number>, truth: Truth): boolean;
  /** Confidence in the true answer, from 0 to 1. */
  confidence(row: ArrayLike<number>, truth: Truth): number;
  /** The property of an example that is its true answer. */
  readonly truth: 'label' | 'labels' | 'value';
  /** Whether the unedited text of an outcome was classified correctly. */
  readRight(outcome: ReadOutcome): boolean;
  /** Present if labels are detected: whether it is one of them. */
  isPositive?(label: number): boolean;
}

/** What an outcome keeps of the true answer and of the one to the unedited text. */
type ReadOutcome = Pick<Outcome, 'label' | 'labels' | 'from' | 'fromLabels' | 'value'> &
  Partial<Pick<Outcome, 'scoreBefore'>>;

export interface ThresholdDecision extends Decision {
  readonly rule: ThresholdRule;
  /** Whether it is one of the labels that are detected. */
  isPositive(label: number): boolean;
  /** Joint score of the positive labels. */
  score(row: ArrayLike<number>): number;
  /** Distance above the threshold; negative below it. */
  margin(row: ArrayLike<number>): number;
  /** Whether it reaches the threshold. */
  detects(row: ArrayLike<number>): boolean;
}

export interface LabelSetDecision extends Decision {
  readonly rule: MultiLabelRule;
  /** Labels sorted by name, which breaks ties between equal scores. */
  readonly order: readonly number[];
  /** Whether the score of this label reaches its threshold. */
  holds(row: ArrayLike<number>, label: number): boolean;
  /** Distance above the label's threshold; negative below it. */
  margin(row: ArrayLike<number>, label: number): number;
}

/** A row is one number. Its only label names the quantity. */
export interface NumberDecision extends Decision {
  readonly rule: RegressionRule;
  value(row: ArrayLike<number>): number;
}

/** The true labels of a text. */
export const trueLabels = ({ label, labels }: Truth): readonly number[] => labels ?? (label < 0 ? [] : [label]);

/** The most probable label; none if labels tie. */
export const mostProbableBy = (noise: number): Decision => ({
  noise,
  label: predictedLabel,
  tied: tiedLabels,
  labels: (row) => {
    const label = predictedLabel(row);
    return label === NO_LABEL ? [] : [label];
  },
  right: (row, { label }) => label >= 0 && predictedLabel(row) === label,
  confidence: (row, { label }) => row[label]!,
  truth: 'label',
  readRight: ({ label, from }) => from === label,
});

/** The most probable label, for a victim whose answers do not vary. */
export const mostProbable: Decision = mostProbableBy(0);

/** Whether the answer is wrong by more than the victim's noise. A tie that includes the true label is neither correct nor fooled. */
export const isFooled = (decision: Decision, row: ArrayLike<number>, truth: Truth): boolean =>
  decision.rule === undefined
    ? exceedsNoise(leadOverLabel(row, truth.label), decision.noise)
    : !decision.right(row, truth);

/** Whether the victim answered the unedited text of an outcome. `from` is -1 also for ties and for answers without a label. */
export const wasAnswered = ({
  from,
  fromLabels,
  fromTied,
  status,
  scoreBefore,
}: Pick<Outcome, 'from' | 'fromLabels' | 'fromTied' | 'status' | 'scoreBefore'>): boolean =>
  from >= 0 ||
  fromTied !== undefined ||
  // A text that could not be classified is recorded with an empty set and a score of 0.
  (fromLabels !== undefined && !(status === 'errored' && fromLabels.length === 0 && scoreBefore === 0));
