/** @file What an attack wants of the victim, and how near a prediction is to it. */
import { argmax } from '../core/argmax.js';
import type { Goal } from '../core/search.js';

/** Any label but the true one. Score: 1 - P(true label), TextAttack's UntargetedClassification. */
export const untargeted: Goal = {
  name: 'untargeted',
  score: (probabilities, label) => 1 - (probabilities[label] as number),
  reached: (probabilities, label) => argmax(probabilities) !== label,
};

/** The label with index `target`. Score: P(target). Throws RangeError unless it is an index. */
export function targeted(target: number): Goal {
  if (!Number.isInteger(target) || target < 0) {
    throw new RangeError(`targeted(label): expected the index of a label, got ${target}`);
  }
  return {
    name: `targeted at label ${target}`,
    target,
    score: (probabilities) => probabilities[target] ?? 0,
    reached: (probabilities) => argmax(probabilities) === target,
  };
}

/** The goal, reached only where the model is so sure of a label that serves it: P of that label at least `least`. */
export function surely(goal: Goal, least: number): Goal {
  return {
    ...goal,
    name: `${goal.name}, of a probability of at least ${least}`,
    reached: (probabilities, label) =>
      goal.reached(probabilities, label) && (probabilities[argmax(probabilities)] as number) >= least,
  };
}
