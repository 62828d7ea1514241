/**
 * A toy task: classes in an order, such as stars. An answer one class away from the true one is tolerated, so an error of two classes is worse
 * than of one.
 */
import { z } from 'zod';
import { type Decision, mostProbableBy, wasAnswered } from '../../../src/core/decision.js';
import type { Declared } from '../../../src/core/declared.js';
import type { Goal } from '../../../src/core/search.js';
import { countPairs, proportion } from '../../../src/results/comparison/paired-figures.js';
import { otherTexts } from '../../../src/results/measures/detection.js';
import { labelFold } from '../../../src/tasks/one-label/clean.js';
import { targetedLabel } from '../../../src/tasks/one-label/goals.js';
import { labelPage } from '../../../src/tasks/one-label/page.js';
import { review } from '../../../src/tasks/one-label/review.js';
import type { Task } from '../../../src/tasks/task.js';

const rule = z.object({ kind: z.literal('ordinal'), tolerance: z.number().int().min(0) });

interface OrdinalRule extends Declared<typeof rule> {}

declare module '../../../src/core/decision-schema.js' {
  interface DecisionRules {
    ordinal: OrdinalRule;
  }
}

interface OrdinalDecision extends Decision {
  readonly rule: OrdinalRule;
  /** How many classes lie between an answer and the true one; infinite without an answer. */
  distance(label: number, truth: number): number;
}

const MEASURES = [otherTexts];

const answers = z.object({ kind: z.literal('ordinal'), found: z.string().regex(/^[01-]*$/) });

interface OrdinalAnswers extends Declared<typeof answers> {}

function decisionBy(rule: OrdinalRule, _: readonly string[], noise: number): OrdinalDecision {
  const distance = (label: number, truth: number): number =>
    label < 0 || truth < 0 ? Number.POSITIVE_INFINITY : Math.abs(label - truth);
  const byLabel = mostProbableBy(noise);
  return {
    ...byLabel,
    rule,
    distance,
    right: (row, { label }) => distance(byLabel.label(row), label) <= rule.tolerance,
    readRight: ({ label, from }) => distance(from, label) <= rule.tolerance,
  };
}

/** The answer is further away from the true class than is tolerated. Score: the probability of such classes. */
const tooFar = (decision: OrdinalDecision): Goal => ({
  name: 'too-far',
  score: (row, label) =>
    row.reduce((sum, score, at) => sum + (decision.distance(at, label) > decision.rule.tolerance ? score : 0), 0),
  reached: (row, label) => !decision.right(row, { label }),
});

const text = ({ tolerance }: OrdinalRule): string => `a class in an order, within ${tolerance} of the true one`;

export const ordinal: Task<OrdinalDecision, OrdinalAnswers> = {
  name: 'ordinal',
  deciding: {
    kind: { schema: rule, fits: ({ tolerance }, labels) => tolerance < labels.length },
    decision: decisionBy,
    text,
  },
  goals: { usual: 'untargeted', untargeted: tooFar, targeted: targetedLabel, own: [] },
  measuring: { clean: labelFold, measures: () => MEASURES },
  comparing: {
    schema: answers,
    collect: (given, labels) => {
      const { readRight } = decisionBy(given, labels, 0);
      const found: string[] = [];
      return {
        add(at, outcome) {
          found[at] = wasAnswered(outcome) ? (readRight(outcome) ? '1' : '0') : '-';
        },
        answers: (size) => ({
          kind: 'ordinal',
          found: Array.from({ length: size }, (_, at) => found[at] ?? '-').join(''),
        }),
      };
    },
    columns: ({ found }) => [found],
    inOrder: ({ found, ...rest }, places) => ({ ...rest, found: places.map((at) => found[at]).join('') }),
    figures: (a, b) => [
      proportion({ metric: 'accuracy', higherIsBetter: true }, countPairs(a.answers.found, b.answers.found)),
    ],
    difference: ({ rule: a }, { rule: b }) =>
      a.tolerance === b.tolerance ? undefined : { kind: 'moved', what: 'decision', a: text(a), b: text(b) },
    effect: 'The tolerance alone changes the accuracy.',
  },
  words: {
    rates: ({ tolerance }) => ({
      original: { label: `Within ${tolerance} class` },
      underAttack: { label: `Within ${tolerance} class under attack` },
    }),
    accuracy: ({ tolerance }) => `within ${tolerance} class of the true one`,
    answers: text,
  },
  page: {
    ...labelPage,
    goals: [['untargeted', 'move the class by more than is tolerated']],
    oneTruth: true,
    words: () => ({ succeeded: 'Moved too far', failed: 'Still near the truth', skipped: 'Not attacked' }),
  },
  review,
  serve: (decision, labels, row) => ({ label: labels[decision.label(row)] ?? null, class: decision.label(row) }),
};
