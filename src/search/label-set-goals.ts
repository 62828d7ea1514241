/**
 * @file What is wanted of a victim that gives a text any number of labels. Each goal depends on which labels are true of the text and
 * which were found before, so it is made anew for each. Scores: (1 +- margin) / 2 of the label that is nearest to what is wanted, from 0 to 1.
 * A label whose score equals its threshold is found: it is lost below the threshold by more than noise, and gained on it already.
 */
import { type LabelSetDecision, type Truth, trueLabels } from '../core/decision.js';
import { exceedsNoise, withinNoise } from '../core/prediction.js';
import type { Goal, GoalOfText } from '../core/search.js';

/** How near one of these labels is to being found no more. */
const falling = (labeller: LabelSetDecision, labels: readonly number[], row: Float32Array): number =>
  Math.max(...labels.map((label) => (1 - labeller.margin(row, label)) / 2));

/** How near one of these labels is to being found. */
const rising = (labeller: LabelSetDecision, labels: readonly number[], row: Float32Array): number =>
  Math.max(...labels.map((label) => (1 + labeller.margin(row, label)) / 2));

/** Is this label lost? */
const lost = (labeller: LabelSetDecision, row: Float32Array, label: number): boolean =>
  exceedsNoise(-labeller.margin(row, label), labeller.noise);

/** Is this label gained? */
const gained = (labeller: LabelSetDecision, row: Float32Array, label: number): boolean =>
  labeller.margin(row, label) >= labeller.noise;

/** Is the score of one of these labels too near its threshold to tell the side? */
const onTheLine = (labeller: LabelSetDecision, labels: readonly number[], row: Float32Array): boolean =>
  labels.some((label) => withinNoise(labeller.margin(row, label), labeller.noise));

/** Of labels the one for which `by` is largest, among equals the first by name. */
const most = (labeller: LabelSetDecision, labels: readonly number[], by: (label: number) => number): number =>
  labeller.order
    .filter((label) => labels.includes(label))
    .reduce((best, label) => (by(label) > by(best) ? label : best));

/** A goal that is made for each text. What it scores without one is that of the first true label, for attacks that learn before any text. */
const perText = (
  name: string,
  labeller: LabelSetDecision,
  of: (truth: Truth, original: Float32Array) => GoalOfText | undefined,
  concerns?: (truth: Truth) => boolean,
): Goal => ({
  name,
  score: (row, label) => (label < 0 ? 0 : falling(labeller, [label], row)),
  reached: (row, label) => label >= 0 && lost(labeller, row, label),
  tied: (row, label) => label >= 0 && onTheLine(labeller, [label], row),
  of,
  ...(concerns && { concerns }),
});

/** Any true label that was found is found no more, or `only` this one. Of gradients the one that is nearest to it is asked. */
export function labelLost(labeller: LabelSetDecision, only?: number): Goal {
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
        reached: (row) => found.some((label) => lost(labeller, row, label)),
        tied: (row) => onTheLine(labeller, found, row),
      };
      return { goal, label: most(labeller, found, (label) => -labeller.margin(original, label)) };
    },
    (truth) => wanted(truth).length > 0,
  );
}

/** Any label is found that is neither true nor was found before. */
export const labelGained = (labeller: LabelSetDecision): Goal =>
  perText('label-gained', labeller, (truth, original) => {
    const wrong = absent(labeller, truth, original);
    if (wrong.length === 0) return undefined;
    const target = most(labeller, wrong, (label) => labeller.margin(original, label));
    const goal: Goal = {
      name: 'label-gained',
      target,
      score: (row) => rising(labeller, wrong, row),
      reached: (row) => wrong.some((label) => gained(labeller, row, label)),
      tied: (row) => onTheLine(labeller, wrong, row),
    };
    return { goal, label: labeller.order.find((label) => trueLabels(truth).includes(label)) ?? target };
  });

/** This label is found, where it is not true. */
export const thisLabelGained = (labeller: LabelSetDecision, target: number): Goal => ({
  name: `targeted at label ${target}`,
  target,
  score: (row) => row[target] ?? 0,
  reached: (row) => gained(labeller, row, target),
  tied: (row) => onTheLine(labeller, [target], row),
  concerns: (truth) => !trueLabels(truth).includes(target),
});

/** The labels found are others than before; of texts whose labels were all found, and no other. */
export const anyChange = (labeller: LabelSetDecision): Goal =>
  perText('untargeted', labeller, (truth, original) => {
    if (!labeller.right(original, truth)) return undefined;
    const [found, others] = [labeller.labels(original), absent(labeller, truth, original)];
    const goal: Goal = {
      name: 'untargeted',
      score: (row) => Math.max(falling(labeller, found, row), rising(labeller, others, row)),
      reached: (row) =>
        found.some((label) => lost(labeller, row, label)) || others.some((label) => gained(labeller, row, label)),
      tied: (row) => onTheLine(labeller, labeller.order, row),
    };
    if (found.length > 0) return { goal, label: most(labeller, found, (label) => -labeller.margin(original, label)) };
    const target = most(labeller, others, (label) => labeller.margin(original, label));
    return { goal: { ...goal, target }, label: target };
  });

/** Labels that are neither true nor found. */
const absent = (labeller: LabelSetDecision, truth: Truth, original: Float32Array): number[] =>
  labeller.rule.at.flatMap((_, label) =>
    trueLabels(truth).includes(label) || labeller.holds(original, label) ? [] : [label],
  );
