/**
 * @file Answers of a run to the unedited texts, by example and without texts: enough to compute the figures of its decision. Stored in
 * baselines.
 */
import { z } from 'zod';
import {
  type DecisionRule,
  decisionOf,
  isDetector,
  isLabeller,
  isRegressor,
  type ThresholdDecision,
  trueLabels,
  wasAnswered,
} from '../../core/decision.js';
import type { Declared } from '../../core/declared.js';
import type { Outcome } from '../../core/outcome.js';

const found = {
  truth: z.string().regex(/^[01]*$/),
  found: z.string().regex(/^[01-]*$/),
};
const foundSchema = z.object(found);

/**
 * For each text, whether something is true of it and whether the model found it. One character per example: `1` yes, `0` no, `-` not
 * answered.
 */
export interface FoundLetters extends Declared<typeof foundSchema> {}

const numbers = z.array(z.number().nullable());

const detector = z.object({
  kind: z.literal('threshold'),
  ...found,
  scores: numbers.describe('The score of the detected labels, to six digits; null where the text was not answered.'),
});
const labelSet = z.object({
  kind: z.literal('multi-label'),
  labels: z.array(z.object({ label: z.string(), ...found })).min(1),
});
const number = z.object({ kind: z.literal('regression'), truth: z.array(z.number()), answers: numbers });

export interface DetectorAnswers extends Declared<typeof detector> {}
export interface LabelSetAnswers extends Declared<typeof labelSet> {}
export interface NumberAnswers extends Declared<typeof number> {}

export const answersSchema = z.discriminatedUnion('kind', [detector, labelSet, number]);
export type DecidedAnswers = DetectorAnswers | LabelSetAnswers | NumberAnswers;

const letter = (yes: boolean): string => (yes ? '1' : '0');
const six = (value: number): number => Math.round(value * 1e6) / 1e6;
/** An errored example has no answers, so its `truth` is only a placeholder. */
const join = (letters: readonly (string | undefined)[], n: number): string =>
  Array.from({ length: n }, (_, at) => letters[at] ?? '-').join('');

/** Values that a kind of decision keeps for each example, at its index. */
interface AnswerCollector {
  add(at: number, outcome: Outcome): void;
  /** Answers of `size` examples; missing ones count as not answered. */
  answers(size: number): DecidedAnswers;
}

function letterColumn() {
  const [truth, found]: [string[], string[]] = [[], []];
  return {
    set(at: number, is: boolean, answer: boolean | undefined): void {
      truth[at] = letter(is);
      found[at] = answer === undefined ? '-' : letter(answer);
    },
    letters: (n: number): FoundLetters => ({ truth: join(truth, n).replaceAll('-', '0'), found: join(found, n) }),
  };
}

const padded = <T>(values: readonly (number | null)[], n: number, missing: T): (number | T)[] =>
  Array.from({ length: n }, (_, at) => values[at] ?? missing);

function detectorCollector({ isPositive }: ThresholdDecision): AnswerCollector {
  const scores: (number | null)[] = [];
  const { set, letters } = letterColumn();
  return {
    add(at, outcome) {
      const [answered, positive] = [wasAnswered(outcome), isPositive(outcome.label)];
      set(at, positive, answered ? isPositive(outcome.from) : undefined);
      scores[at] = answered ? six(positive ? outcome.scoreBefore : 1 - outcome.scoreBefore) : null;
    },
    answers: (n) => ({ kind: 'threshold', ...letters(n), scores: padded(scores, n, null) }),
  };
}

function labelSetCollector(labels: readonly string[]): AnswerCollector {
  const columns = labels.map((label) => ({ label, ...letterColumn() }));
  return {
    add(at, outcome) {
      const [answered, wanted, found = []] = [wasAnswered(outcome), trueLabels(outcome), outcome.fromLabels];
      for (const [label, { set }] of columns.entries())
        set(at, wanted.includes(label), answered ? found.includes(label) : undefined);
    },
    answers: (n) => ({
      kind: 'multi-label',
      labels: columns.map(({ label, letters }) => ({ label, ...letters(n) })),
    }),
  };
}

function numberCollector(): AnswerCollector {
  const [truth, answers]: [number[], (number | null)[]] = [[], []];
  return {
    add(at, outcome) {
      truth[at] = outcome.value ?? 0;
      answers[at] = wasAnswered(outcome) && outcome.value !== undefined ? outcome.scoreBefore : null;
    },
    answers: (n) => ({ kind: 'regression', truth: padded(truth, n, 0), answers: padded(answers, n, null) }),
  };
}

function collectorOf(rule: DecisionRule | undefined, labels: readonly string[]): AnswerCollector | undefined {
  const decision = decisionOf(rule, labels);
  if (isDetector(decision)) return detectorCollector(decision);
  if (isLabeller(decision)) return labelSetCollector(labels);
  return isRegressor(decision) ? numberCollector() : undefined;
}

/** Collects the answers from outcomes, each example once at its index. Undefined if the decision is the most probable label. */
export function answersFold(rule: DecisionRule | undefined, labels: readonly string[]) {
  const collector = collectorOf(rule, labels);
  let n = 0;
  return {
    add(at: number, outcome: Outcome): void {
      n = Math.max(n, at + 1);
      collector?.add(at, outcome);
    },
    answers: (size = n): DecidedAnswers | undefined => collector?.answers(size),
  };
}
