/** @file Goals of attacks, and how close a prediction is to them. */
import { z } from 'zod';
import { argmax } from '../core/argmax.js';
import { goal } from '../core/component.js';
import {
  type Decision,
  isDetector,
  isLabeller,
  isRegressor,
  mostProbable,
  type ThresholdDecision,
} from '../core/decision.js';
import { RobustError } from '../core/errors.js';
import { labelHint } from '../core/label-words.js';
import type { ComponentPlugin } from '../core/plugin.js';
import { exceedsNoise, leadOverLabel, withinNoise } from '../core/prediction.js';
import type { Goal } from '../core/search.js';
import { alarm, eitherSide, evade } from './detector-goals.js';
import { anyChange, labelGained, labelLost, thisLabelGained } from './label-set-goals.js';
import { shiftGoal } from './number-goal.js';
import { entityGoal, retyped, spuriousEntity } from './tag-goals.js';

/** Any label but the true one. Score: 1 - P(true label), TextAttack's UntargetedClassification. */
function anyOther(noise: number): Goal {
  const wanted: Goal = {
    name: 'untargeted',
    score: (probabilities, label) => 1 - probabilities[label]!,
    reached: (probabilities, label) => exceedsNoise(leadOverLabel(probabilities, label), noise),
    tied: (probabilities, label) => withinNoise(leadOverLabel(probabilities, label), noise),
  };
  return { ...wanted, peer: { ...wanted, reached: (probabilities, label) => argmax(probabilities) !== label } };
}

/** For a victim whose answers do not vary. */
export const untargeted: Goal = anyOther(0);

/** The label with index `target`. Score: P(target). Throws RangeError unless it is an index. */
export function targeted(target: number, decision: Decision = mostProbable): Goal {
  if (!Number.isInteger(target) || target < 0) {
    throw new RangeError(`targeted(label): expected the index of a label, got ${target}`);
  }
  if (isLabeller(decision)) return thisLabelGained(decision, target);
  const { noise } = decision;
  const lead = (probabilities: Float32Array): number => -leadOverLabel(probabilities, target);
  const wanted: Goal = {
    name: `targeted at label ${target}`,
    target,
    score: (probabilities) => probabilities[target] ?? 0,
    reached: (probabilities) => exceedsNoise(lead(probabilities), noise),
    tied: (probabilities) => withinNoise(lead(probabilities), noise),
    concerns: ({ label }) => label !== target,
  };
  if (isDetector(decision)) return targetedAcrossThreshold(decision, wanted, target);
  return { ...wanted, peer: { ...wanted, reached: (probabilities) => argmax(probabilities) === target } };
}

/** For a detector, the label must lead only the labels on its side of the threshold, and the score must be on that side. */
function targetedAcrossThreshold(detector: ThresholdDecision, wanted: Goal, target: number): Goal {
  const positive = detector.isPositive(target);
  const side = positive ? alarm(detector) : evade(detector);
  const leads = (row: Float32Array): boolean =>
    row.every(
      (score, label) =>
        label === target ||
        detector.isPositive(label) !== positive ||
        exceedsNoise(row[target]! - score, detector.noise),
    );
  return {
    ...wanted,
    reached: (row, label) => side.reached(row, label) && leads(row),
    tied: (row) => withinNoise(detector.margin(row), detector.noise) || (!leads(row) && detector.label(row) === target),
  };
}

const entityShare = z
  .number()
  .min(0)
  .max(1)
  .default(0)
  .describe('attack each text as a whole, until one rewrite costs it this share of its entities; 0: each entity alone');

/** The index of a label given by name, in any case, or by index. Throws RobustError. */
function indexOf(label: string, labels: readonly string[], goal: string): number {
  const named = labels.findIndex((each) => each.toLowerCase() === label.toLowerCase());
  const index = named === -1 && /^\d+$/.test(label) ? Number(label) : named;
  if (index >= 0 && index < labels.length) return index;
  throw new RobustError(`expected one of the model's labels as the label of the goal "${goal}", got "${label}"`, {
    code: 'LABEL_NOT_FOUND',
    hint: `${labelHint(label, labels)} For example: --goal ${goal}:label=${labels[0] ?? 'spam'}`,
  });
}

/** A goal that only some decisions support. Throws RobustError. */
function onlyOf<D extends Decision>(
  name: string,
  is: (decision: Decision) => decision is D,
  needs: string,
  decision: Decision,
): D {
  if (is(decision)) return decision;
  throw new RobustError(`the goal "${name}" needs ${needs}`, {
    code: 'GOAL_UNSUPPORTED',
    hint: 'See docs/reference/decisions.md. Without it: --goal untargeted, or targeted:label=LABEL.',
  });
}

const detectorOf = (name: string, decision: Decision) =>
  onlyOf(name, isDetector, 'labels that are detected: --positive LABEL', decision);
const ofLabels = (name: string, decision: Decision): Decision => {
  if (!isRegressor(decision)) return decision;
  throw new RobustError(`the goal "${name}" needs labels, and the victim answers a number`, {
    code: 'GOAL_UNSUPPORTED',
    hint: 'For numbers: --goal moved, moved=up or moved=down.',
  });
};
const labellerOf = (name: string, decision: Decision) =>
  onlyOf(name, isLabeller, 'a model of any number of labels: --task multi-label', decision);

/** A goal of models that tag. Throws RobustError for others. */
function tagGoal(name: string, decision: Decision, labels: readonly string[], make: (none: number) => Goal): Goal {
  if (decision.tags !== undefined) return make(labels.length - 1);
  throw new RobustError(`the goal "${name}" needs a model that tags: --task tags`, {
    code: 'GOAL_UNSUPPORTED',
    hint: 'See docs/reference/decisions.md. Without it: --goal untargeted, or targeted:label=LABEL.',
  });
}

/** The default goal. */
export function usualGoal(decision: Decision): string {
  if (decision.tags !== undefined) return 'lose';
  if (isDetector(decision)) return 'evade';
  if (isRegressor(decision)) return 'moved';
  return isLabeller(decision) ? 'label-lost' : 'untargeted';
}

/** Goals by name. The goal of input-reduction, fewer words, is private to it because no other attack could use it. */
export const goals: readonly ComponentPlugin<'goal'>[] = [
  goal({
    name: 'untargeted',
    summary:
      'Any label other than the true one; for a detector, the other side of the threshold; for several labels, any change.',
    create: (_, __, given = mostProbable) => {
      const decision = ofLabels('untargeted', given);
      if (isDetector(decision)) return eitherSide(decision);
      return isLabeller(decision) ? anyChange(decision) : anyOther(decision.noise);
    },
  }),
  goal({
    name: 'targeted',
    summary: 'This label, whatever the true one.',
    main: 'label',
    options: { label: z.string().default('').describe('the wanted label, by name or index; required') },
    create: ({ label }, labels = [], decision = mostProbable) =>
      targeted(indexOf(label, labels, 'targeted'), ofLabels('targeted', decision)),
  }),
  goal({
    name: 'evade',
    summary: 'Detected texts evade a detector: their score falls below the threshold.',
    create: (_, __, decision = mostProbable) => evade(detectorOf('evade', decision)),
  }),
  goal({
    name: 'alarm',
    summary: 'Harmless texts trigger a detector: their score reaches the threshold.',
    create: (_, __, decision = mostProbable) => alarm(detectorOf('alarm', decision)),
  }),
  goal({
    name: 'label-lost',
    summary: 'A true label that was predicted is no longer predicted.',
    main: 'label',
    options: { label: z.string().default('').describe('this label, by name or index; by default any') },
    create: ({ label }, labels = [], decision = mostProbable) =>
      labelLost(labellerOf('label-lost', decision), label ? indexOf(label, labels, 'label-lost') : undefined),
  }),
  goal({
    name: 'label-gained',
    summary: 'A label that is not true is predicted.',
    create: (_, __, decision = mostProbable) => labelGained(labellerOf('label-gained', decision)),
  }),
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
  goal({
    name: 'moved',
    summary: "A regression model's answer moves by the delta of --task regression or more.",
    main: 'direction',
    options: {
      direction: z.enum(['up', 'down', 'either']).default('either').describe('direction: up, down, or either'),
    },
    create: ({ direction }, _, decision = mostProbable) =>
      shiftGoal(onlyOf('moved', isRegressor, 'a model that answers a number: --task regression', decision), direction),
  }),
];
