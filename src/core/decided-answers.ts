/**
 * @file What a run keeps of the answers to the unedited texts, by example and without texts: enough for the figures by which its decision
 * is judged. Baselines hold it.
 */
import {
  type DecisionRule,
  decisionOf,
  isDetector,
  isLabeller,
  isRegressor,
  trueLabels,
  wasAnswered,
} from './decision.js';
import type { Outcome } from './outcome.js';

/** A character an example: `1` yes, `0` no, `-` not answered. */
type Letters = string;

/** Whether something is true of each text, and whether the model found it. */
export interface FoundLetters {
  readonly truth: Letters;
  readonly found: Letters;
}

export interface DetectorAnswers extends FoundLetters {
  readonly kind: 'threshold';
  /** The score of the detected labels, to six digits; null where the text was not answered. */
  readonly scores: readonly (number | null)[];
}

export interface LabelSetAnswers {
  readonly kind: 'multi-label';
  readonly labels: readonly (FoundLetters & { readonly label: string })[];
}

export interface NumberAnswers {
  readonly kind: 'regression';
  readonly truth: readonly number[];
  readonly answers: readonly (number | null)[];
}

export type DecidedAnswers = DetectorAnswers | LabelSetAnswers | NumberAnswers;

const letter = (yes: boolean): string => (yes ? '1' : '0');
const six = (value: number): number => Math.round(value * 1e6) / 1e6;
/** Outcomes of an errored example tell nothing: `truth` is then only a place. */
const joined = (letters: readonly (string | undefined)[], n: number): string =>
  Array.from({ length: n }, (_, at) => letters[at] ?? '-').join('');

/** Collects them from outcomes; each example once, at its place. Undefined where the most probable label is decided. */
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

    /** Of `size` examples; those that were not added count as not answered. */
    answers(size = n): DecidedAnswers | undefined {
      const places = Array.from({ length: size }, (_, at) => at);
      const answers = places.map((at) => numbers.answers[at] ?? null);
      const letters = (label: number): FoundLetters => ({
        truth: joined(truth[label] as string[], size).replaceAll('-', '0'),
        found: joined(found[label] as string[], size),
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
