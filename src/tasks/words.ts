/** @file What reports, pages and servers say of a decision. */
import type { Decision, DecisionRule } from '../core/decision.js';
import { decisionText } from './decide.js';
import { taskNamed, taskOf, taskOfRule } from './index.js';

/** What a model answers, in one line. */
export const answersInWords = (rule: DecisionRule): string =>
  taskOfRule(rule).words?.answers(rule) ?? decisionText(rule);

/** What the accuracy is: "sets correct". */
export const accuracyInWords = (rule: DecisionRule | undefined): string =>
  (rule && taskOfRule(rule).words?.accuracy(rule)) ?? 'accuracy';

/** Whether figures under attack keep the names that they have without one. */
export const keepsNames = (rule: DecisionRule | undefined): boolean =>
  rule !== undefined && taskOfRule(rule).words?.sameNames === true;

/** Whether a model answers a number without bounds, not probabilities. `kind`: that of its decision. */
export const isUnbounded = (kind: string | undefined): boolean =>
  taskNamed(kind ?? 'argmax')?.measuring.unbounded === true;

/** The decision by a row of scores, as plain JSON. */
export const decisionAsJson = (decision: Decision, labels: readonly string[], row: Float32Array): object =>
  taskOf(decision).serve(decision, labels, row);
