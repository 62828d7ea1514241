/**
 * @file Answers of a run to the unedited texts, by example and without texts: enough to compute the figures of its decision. Stored in
 * baselines.
 */
import { z } from 'zod';
import type { DecisionRule } from '../core/decision.js';
import type { Outcome } from '../core/outcome.js';
import { taskNamed, taskOfRule, tasks } from './index.js';
import type { Comparing, StoredAnswers } from './task.js';

type Schema = Comparing<DecisionRule, StoredAnswers>['schema'];

export const answersSchema: z.ZodType<StoredAnswers> = z.lazy(() =>
  z.discriminatedUnion('kind', tasks().flatMap(({ comparing }) => comparing?.schema ?? []) as [Schema, ...Schema[]]),
);

/** Columns with an entry for each example. */
export const answerColumns = (answers: StoredAnswers): readonly { readonly length: number }[] =>
  taskNamed(answers.kind)?.comparing?.columns(answers) ?? [];

/** The answers of these examples, in this order. */
export const answersInOrder = (answers: StoredAnswers, places: readonly number[]): StoredAnswers =>
  taskNamed(answers.kind)?.comparing?.inOrder(answers, places) ?? answers;

/** `1` for the examples that should be detected; undefined if labels are not detected. */
export const sidesOf = (answers: StoredAnswers | undefined): string | undefined =>
  answers && taskNamed(answers.kind)?.comparing?.sides?.(answers);

/** Whether stored answers are those of this rule and these labels. */
export const answersFit = (answers: StoredAnswers, rule: DecisionRule, labels: readonly string[]): boolean =>
  answers.kind === rule.kind && (taskNamed(rule.kind)?.comparing?.fits?.(answers, rule, labels) ?? true);

/** Collects the answers from outcomes, each example once at its index. Undefined if the decision is the most probable label. */
export function answersFold(rule: DecisionRule | undefined, labels: readonly string[]) {
  const collector = rule && taskOfRule(rule).comparing?.collect(rule, labels);
  let n = 0;
  return {
    add(at: number, outcome: Outcome): void {
      n = Math.max(n, at + 1);
      collector?.add(at, outcome);
    },
    answers: (size = n): StoredAnswers | undefined => collector?.answers(size),
  };
}
