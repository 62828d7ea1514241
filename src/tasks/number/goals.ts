/** @file Goal against a regression victim: its answer moves. */
import { z } from 'zod';
import { goal } from '../../core/component.js';
import { mostProbable, type NumberDecision, type Truth } from '../../core/decision.js';
import { RobustError } from '../../core/errors.js';
import { withinNoise } from '../../core/prediction.js';
import type { Goal } from '../../core/search.js';
import { requiredTask } from '../goal-refusals.js';
import type { Goals } from '../task.js';
import { leastDistance } from './decide.js';

type ShiftDirection = 'up' | 'down' | 'either';

/**
 * The answer moves by delta or more. Applies to texts whose answer was within delta of the true value. Score: from 0 to 1, x / (1 + |x|)
 * for a distance of x deltas, which increases however far the answer moves.
 */
export function shiftGoal(decision: NumberDecision, direction: ShiftDirection): Goal {
  const { delta } = decision.rule;
  const from = (start: number) => (row: Float32Array) => {
    const shift = decision.value(row) - start;
    return direction === 'either' ? Math.abs(shift) : direction === 'up' ? shift : -shift;
  };
  // The move must exceed the noise.
  const least = (start: number): number =>
    decision.noise > 0 ? delta + decision.noise : leastDistance(decision.rule, start);
  const goalFrom = (start: number): Goal => {
    const distance = from(start);
    return {
      name: nameOf(direction, delta),
      score: (row) => {
        const x = distance(row) / delta;
        return (1 + x / (1 + Math.abs(x))) / 2;
      },
      reached: (row) => distance(row) >= least(start),
      tied: (row) => withinNoise(distance(row) - delta, decision.noise),
    };
  };
  return {
    // Score without a text, for attacks that learn before the first text.
    ...goalFrom(0),
    of: (truth: Truth, original: Float32Array) =>
      decision.right(original, truth) ? { goal: goalFrom(decision.value(original)), label: 0 } : undefined,
  };
}

const nameOf = (direction: ShiftDirection, delta: number): string =>
  direction === 'either' ? `moved by ${delta}` : `moved ${direction} by ${delta}`;

const withoutLabels = (name: string): RobustError =>
  new RobustError(`the goal "${name}" needs labels, and the victim answers a number`, {
    code: 'GOAL_UNSUPPORTED',
    hint: 'For numbers: --goal moved, moved=up or moved=down.',
  });

export const goals: Goals<NumberDecision> = {
  usual: 'moved',
  untargeted: () => {
    throw withoutLabels('untargeted');
  },
  targeted: () => {
    throw withoutLabels('targeted');
  },
  own: [
    goal({
      name: 'moved',
      summary: "A regression model's answer moves by the delta of --task regression or more.",
      main: 'direction',
      options: {
        direction: z.enum(['up', 'down', 'either']).default('either').describe('direction: up, down, or either'),
      },
      create: ({ direction }, _, decision = mostProbable) =>
        shiftGoal(
          requiredTask('moved', 'regression', 'a model that answers a number: --task regression', decision),
          direction,
        ),
    }),
  ],
};
