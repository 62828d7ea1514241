/**
 * @file Goals against a multi-label victim. Each goal depends on the true and the initially predicted labels, so it is created per text.
 * Scores: (1 +- margin) / 2 of the label closest to the goal, from 0 to 1. A label whose score equals its threshold is predicted. So it is
 * lost below the threshold by more than the noise, and gained at the threshold.
 */
import { z } from 'zod';
import { goal } from '../../core/component.js';
import { type Decision, type LabelSetDecision, mostProbable, type Truth, trueLabels } from '../../core/decision.js';
import { defined } from '../../core/defined.js';
import { exceedsNoise, withinNoise } from '../../core/prediction.js';
import type { Goal, GoalOfText } from '../../core/search.js';
import { labelIndex, requiredTask } from '../goal-refusals.js';
import type { Goals } from '../task.js';

/** How close one of these labels is to being lost. */
const falling = (labeller: LabelSetDecision, labels: readonly number[], row: Float32Array): number =>
  Math.max(...labels.map((label) => (1 - labeller.margin(row, label)) / 2));

/** How close one of these labels is to being gained. */
const rising = (labeller: LabelSetDecision, labels: readonly number[], row: Float32Array): number =>
  Math.max(...labels.map((label) => (1 + labeller.margin(row, label)) / 2));

/** Whether this label is lost. */
const isLost = (labeller: LabelSetDecision, row: Float32Array, label: number): boolean =>
  exceedsNoise(-labeller.margin(row, label), labeller.noise);

/** Whether this label is gained. */
const isGained = (labeller: LabelSetDecision, row: Float32Array, label: number): boolean =>
  labeller.margin(row, label) >= labeller.noise;

/** Whether the score of one of these labels is too close to its threshold to decide the side. */
const onTheLine = (labeller: LabelSetDecision, labels: readonly number[], row: Float32Array): boolean =>
  labels.some((label) => withinNoise(labeller.margin(row, label), labeller.noise));

/** The label with the largest value of `by`; among equals, the first by name. */
const most = (labeller: LabelSetDecision, labels: readonly number[], by: (label: number) => number): number =>
  labeller.order
    .filter((label) => labels.includes(label))
    .reduce((best, label) => (by(label) > by(best) ? label : best));

/** A goal that is created per text. Without a text it scores the first true label, for attacks that learn before the first text. */
const perText = (
  name: string,
  labeller: LabelSetDecision,
  of: (truth: Truth, original: Float32Array) => GoalOfText | undefined,
  concerns?: (truth: Truth) => boolean,
): Goal => ({
  name,
  score: (row, label) => (label < 0 ? 0 : falling(labeller, [label], row)),
  reached: (row, label) => label >= 0 && isLost(labeller, row, label),
  tied: (row, label) => label >= 0 && onTheLine(labeller, [label], row),
  of,
  ...defined({ concerns }),
});

/** Any predicted true label is lost, or `only` this one. Gradients are those of the closest label. */
function labelLost(labeller: LabelSetDecision, only?: number): Goal {
  const name = only === undefined ? 'label-lost' : `label-lost of label ${only}`;
  const wanted = (truth: Truth): readonly number[] =>
    trueLabels(truth).filter((label) => only === undefined || label === only);
  return perText(
    name,
    labeller,
    (truth, original) => {
      const found = wanted(truth).filter((label) => labeller.holds(original, label));
      if (found.length === 0) return undefined;
      const goal: Goal = {
        name,
        score: (row) => falling(labeller, found, row),
        reached: (row) => found.some((label) => isLost(labeller, row, label)),
        tied: (row) => onTheLine(labeller, found, row),
      };
      return { goal, label: most(labeller, found, (label) => -labeller.margin(original, label)) };
    },
    (truth) => wanted(truth).length > 0,
  );
}

/** Any label is predicted that is neither true nor was predicted before. */
const labelGained = (labeller: LabelSetDecision): Goal =>
  perText('label-gained', labeller, (truth, original) => {
    const wrong = absent(labeller, truth, original);
    if (wrong.length === 0) return undefined;
    const target = most(labeller, wrong, (label) => labeller.margin(original, label));
    const goal: Goal = {
      name: 'label-gained',
      target,
      score: (row) => rising(labeller, wrong, row),
      reached: (row) => wrong.some((label) => isGained(labeller, row, label)),
      tied: (row) => onTheLine(labeller, wrong, row),
    };
    return { goal, label: labeller.order.find((label) => trueLabels(truth).includes(label)) ?? target };
  });

/** This label is predicted although it is not true. */
const thisLabelGained = (labeller: LabelSetDecision, target: number): Goal => ({
  name: `targeted at label ${target}`,
  target,
  score: (row) => row[target] ?? 0,
  reached: (row) => isGained(labeller, row, target),
  tied: (row) => onTheLine(labeller, [target], row),
  concerns: (truth) => !trueLabels(truth).includes(target),
});

/** The set of predicted labels changes, for texts whose labels were all predicted without others. */
const anyChange = (labeller: LabelSetDecision): Goal =>
  perText('untargeted', labeller, (truth, original) => {
    if (!labeller.right(original, truth)) return undefined;
    const [found, others] = [labeller.labels(original), absent(labeller, truth, original)];
    const goal: Goal = {
      name: 'untargeted',
      score: (row) => Math.max(falling(labeller, found, row), rising(labeller, others, row)),
      reached: (row) =>
        found.some((label) => isLost(labeller, row, label)) || others.some((label) => isGained(labeller, row, label)),
      tied: (row) => onTheLine(labeller, labeller.order, row),
    };
    if (found.length > 0) return { goal, label: most(labeller, found, (label) => -labeller.margin(original, label)) };
    const target = most(labeller, others, (label) => labeller.margin(original, label));
    return { goal: { ...goal, target }, label: target };
  });

/** Labels that are neither true nor predicted. */
const absent = (labeller: LabelSetDecision, truth: Truth, original: Float32Array): number[] =>
  labeller.rule.at.flatMap((_, label) =>
    trueLabels(truth).includes(label) || labeller.holds(original, label) ? [] : [label],
  );

const labellerOf = (name: string, decision: Decision): LabelSetDecision =>
  requiredTask(name, 'multi-label', 'a model of any number of labels: --task multi-label', decision);

export const goals: Goals<LabelSetDecision> = {
  usual: 'label-lost',
  untargeted: anyChange,
  targeted: thisLabelGained,
  own: [
    goal({
      name: 'label-lost',
      summary: 'A true label that was predicted is no longer predicted.',
      main: 'label',
      options: { label: z.string().default('').describe('this label, by name or index; by default any') },
      create: ({ label }, labels = [], decision = mostProbable) =>
        labelLost(labellerOf('label-lost', decision), label ? labelIndex(label, labels, 'label-lost') : undefined),
    }),
    goal({
      name: 'label-gained',
      summary: 'A label that is not true is predicted.',
      create: (_, __, decision = mostProbable) => labelGained(labellerOf('label-gained', decision)),
    }),
  ],
};
