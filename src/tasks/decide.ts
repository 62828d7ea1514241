/** @file The decision of a rule, for a victim with these labels. */
import { type Decision, type DecisionRule, mostProbable, mostProbableBy } from '../core/decision.js';
import type { TagReading } from '../core/output-reading.js';
import { taskOfRule } from './index.js';
import type { Deciding } from './task.js';

const decidingBy = (rule: DecisionRule): Deciding<Decision> => {
  const { deciding, name } = taskOfRule(rule);
  if (deciding === undefined) throw new RangeError(`expected a task with a rule, got ${name}`);
  return deciding;
};

/** `noise`: largest difference between two answers to one text. Throws RangeError if the rule does not fit the labels. */
export function decisionOf(
  rule: DecisionRule | undefined,
  labels: readonly string[],
  noise = 0,
  tags?: TagReading,
): Decision {
  if (tags !== undefined) return { ...mostProbableBy(noise), tags };
  if (rule === undefined) return noise === 0 ? mostProbable : mostProbableBy(noise);
  return decidingBy(rule).decision(rule, labels, noise);
}

/** A short description: "jailbreak from a score of 0.83 on". */
export const decisionText = (rule: DecisionRule): string => decidingBy(rule).text(rule);
