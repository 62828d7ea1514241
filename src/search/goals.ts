/** @file Goals of attacks by name. Those of one task only are in its folder. */
import { z } from 'zod';
import { goal } from '../core/component.js';
import { type Decision, mostProbable } from '../core/decision.js';
import type { ComponentPlugin } from '../core/plugin.js';
import type { Goal } from '../core/search.js';
import { labelIndex } from '../tasks/goal-refusals.js';
import { taskOf, tasks } from '../tasks/index.js';
import { anyOther } from '../tasks/one-label/goals.js';

/** For a victim whose answers do not vary. */
export const untargeted: Goal = anyOther(0);

/** The label with index `target`. Score: P(target). Throws RangeError unless it is an index. */
export function targeted(target: number, decision: Decision = mostProbable): Goal {
  if (!Number.isInteger(target) || target < 0) {
    throw new RangeError(`targeted(label): expected the index of a label, got ${target}`);
  }
  return taskOf(decision).goals.targeted(decision, target);
}

/** The default goal. */
export const usualGoal = (decision: Decision): string => taskOf(decision).goals.usual;

/** Goals by name. The goal of input-reduction, fewer words, is private to it because no other attack could use it. */
export const goals: readonly ComponentPlugin<'goal'>[] = [
  goal({
    name: 'untargeted',
    summary:
      'Any label other than the true one; for a detector, the other side of the threshold; for several labels, any change.',
    create: (_, __, decision = mostProbable) => taskOf(decision).goals.untargeted(decision),
  }),
  goal({
    name: 'targeted',
    summary: 'This label, whatever the true one.',
    main: 'label',
    options: { label: z.string().default('').describe('the wanted label, by name or index; required') },
    create: ({ label }, labels = [], decision = mostProbable) =>
      targeted(labelIndex(label, labels, 'targeted'), decision),
  }),
  ...tasks().flatMap(({ goals: { own } }) => own),
];
