/** @file The kinds of task. All that knows a kind by name is in its folder. */
import type { Decision, DecisionRule } from '../core/decision.js';
import { addRuleKind } from '../core/decision-schema.js';
import { detector } from './detector/index.js';
import { labelSet } from './label-set/index.js';
import { number } from './number/index.js';
import { oneLabel } from './one-label/index.js';
import { tags } from './tags/index.js';
import type { Task } from './task.js';

/** In the order in which their goals are listed. */
const registered: Task[] = [oneLabel, detector, labelSet, tags, number];

export const tasks = (): readonly Task[] => registered;

/** Adds a task, before any record is read. */
export function registerTask(task: Task): void {
  registered.push(task);
  if (task.deciding !== undefined) addRuleKind(task.deciding.kind);
}

export const taskNamed = (name: string): Task | undefined => registered.find((task) => task.name === name);

/** Throws RangeError for a kind that no task has. */
export function taskOfRule(rule: DecisionRule | undefined): Task {
  const task = rule === undefined ? oneLabel : taskNamed(rule.kind);
  if (task === undefined) throw new RangeError(`expected the rule of a task, got one of the kind ${rule?.kind}`);
  return task;
}

export const taskOf = (decision: Decision): Task => (decision.tags === undefined ? taskOfRule(decision.rule) : tags);
