/**
 * @file Goals against a victim that tags. Its labels are the types of entities, the last one stands for none. An example is one entity of a
 * text, or the rest of the text with the label of none.
 */
import { z } from 'zod';
import { goal } from '../../core/component.js';
import { type Decision, mostProbable } from '../../core/decision.js';
import { must, RobustError } from '../../core/errors.js';
import { percent } from '../../core/figure-text.js';
import { exceedsNoise, leadOverLabel, withinNoise } from '../../core/prediction.js';
import type { Goal } from '../../core/search.js';
import { anyOther, targetedLabel } from '../one-label/goals.js';
import type { Goals } from '../task.js';

/** The true label no longer leads. */
const labelLost = (name: string, { noise }: Decision): Goal => ({
  name,
  score: (row, label) => 1 - must(row[label]),
  reached: (row, label) => exceedsNoise(leadOverLabel(row, label), noise),
  tied: (row, label) => withinNoise(leadOverLabel(row, label), noise),
});

/**
 * An entity is lost, or leaks: what counts as found differs (core/tags/entity-row.ts). With a share a text is, by one rewrite: with this share
 * of its entities.
 */
const entityGoal = (name: string, decision: Decision, none: number, share: number): Goal => ({
  ...labelLost(share === 0 ? name : `${name}, ${percent(share)} of the entities of a text at once`, decision),
  concerns: ({ label }) => label !== none,
});

/** Another type leads. */
function retyped({ noise }: Decision, none: number): Goal {
  const others = (row: Float32Array, label: number): number =>
    Math.max(...Array.from(row).filter((_, at) => at !== label && at !== none));
  const lead = (row: Float32Array, label: number): number =>
    others(row, label) - Math.max(must(row[label]), must(row[none]));
  return {
    name: 'retype',
    score: others,
    reached: (row, label) => exceedsNoise(lead(row, label), noise),
    tied: (row, label) => withinNoise(lead(row, label), noise),
    concerns: ({ label }) => label !== none && none > 1,
  };
}

/** The rest of a text gets a type. */
const spuriousEntity = (decision: Decision, none: number): Goal => ({
  ...labelLost('spurious', decision),
  concerns: ({ label }) => label === none,
});

const entityShare = z
  .number()
  .min(0)
  .max(1)
  .default(0)
  .describe('attack each text as a whole, until one rewrite costs it this share of its entities; 0: each entity alone');

/** A goal of models that tag. Throws RobustError for others. */
function tagGoal(name: string, decision: Decision, labels: readonly string[], make: (none: number) => Goal): Goal {
  if (decision.tags !== undefined) return make(labels.length - 1);
  throw new RobustError(`the goal "${name}" needs a model that tags: --task tags`, {
    code: 'GOAL_UNSUPPORTED',
    hint: 'See docs/reference/decisions.md. Without it: --goal untargeted, or targeted:label=LABEL.',
  });
}

export const goals: Goals<Decision> = {
  usual: 'lose',
  untargeted: ({ noise }) => anyOther(noise),
  targeted: targetedLabel,
  own: [
    goal({
      name: 'lose',
      summary: 'An entity is missed, cut, or found as another type.',
      main: 'share',
      options: { share: entityShare },
      create: ({ share }, labels = [], decision = mostProbable) =>
        tagGoal('lose', decision, labels, (none) => entityGoal('lose', decision, none, share)),
    }),
    goal({
      name: 'leak',
      summary: 'A visible character of an entity is covered by no span, of whatever type.',
      main: 'share',
      options: { share: entityShare },
      create: ({ share }, labels = [], decision = mostProbable) =>
        tagGoal('leak', decision, labels, (none) => entityGoal('leak', decision, none, share)),
    }),
    goal({
      name: 'retype',
      summary: 'An entity is found as another type.',
      create: (_, labels = [], decision = mostProbable) =>
        tagGoal('retype', decision, labels, (none) => retyped(decision, none)),
    }),
    goal({
      name: 'spurious',
      summary: 'A span is found beyond the true entities of the text.',
      create: (_, labels = [], decision = mostProbable) =>
        tagGoal('spurious', decision, labels, (none) => spuriousEntity(decision, none)),
    }),
  ],
};
