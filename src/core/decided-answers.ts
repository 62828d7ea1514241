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
  trueLabels,
  wasAnswered,
} from './decision.js';
import type { Declared } from './declared.js';
import type { Outcome } from './outcome.js';

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

/** Collects the answers from outcomes, each example once at its index. Undefined if the decision is the most probable label. */
export function answersFold(rule: DecisionRule | undefined, labels: readonly string[]) {
  const decision = decisionOf(rule, labels);
  const truth: string[][] = labels.map(() => []);
  const found: string[][] = labels.map(() => []);
  const numbers: { truth: number[]; answers: (number | null)[] } = { truth: [], answers: [] };
  let n = 0;
  return {
    add(at: number, outcome: Outcome): void {
      n = Math.max(n, at + 1);
      const answered = wasAnswered(outcome);
      if (isDetector(decision)) {
        const positive = decision.isPositive(outcome.label);
        truth[0]![at] = letter(positive);
        found[0]![at] = answered ? letter(decision.isPositive(outcome.from)) : '-';
        numbers.answers[at] = answered ? six(positive ? outcome.scoreBefore : 1 - outcome.scoreBefore) : null;
      } else if (isLabeller(decision)) {
        const wanted = trueLabels(outcome);
        for (const label of labels.keys()) {
          truth[label]![at] = letter(wanted.includes(label));
          found[label]![at] = answered ? letter(outcome.fromLabels?.includes(label) ?? false) : '-';
        }
      } else if (isRegressor(decision)) {
        numbers.truth[at] = outcome.value ?? 0;
        numbers.answers[at] = answered && outcome.value !== undefined ? outcome.scoreBefore : null;
      }
    },

    /** Answers of `size` examples; missing ones count as not answered. */
    answers(size = n): DecidedAnswers | undefined {
      const places = Array.from({ length: size }, (_, at) => at);
      const answers = places.map((at) => numbers.answers[at] ?? null);
      const letters = (label: number): FoundLetters => ({
        truth: join(truth[label] as string[], size).replaceAll('-', '0'),
        found: join(found[label] as string[], size),
      });
      if (isDetector(decision)) return { kind: 'threshold', ...letters(0), scores: answers };
      if (isLabeller(decision)) {
        return { kind: 'multi-label', labels: labels.map((label, at) => ({ label, ...letters(at) })) };
      }
      if (isRegressor(decision)) {
        return { kind: 'regression', truth: places.map((at) => numbers.truth[at] ?? 0), answers };
      }
      return undefined;
    },
  };
}
