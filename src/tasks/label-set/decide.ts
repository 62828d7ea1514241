/** @file Any number of labels: each whose score reaches its threshold. */
import { type LabelSetDecision, type MultiLabelRule, trueLabels } from '../../core/decision.js';
import { multiLabelKind } from '../../core/decision-schema.js';
import { must } from '../../core/errors.js';
import { byName, highestOf, NO_LABEL } from '../../core/prediction.js';
import { thresholdText } from '../../core/score-text.js';
import type { Deciding } from '../task.js';

function labeller(rule: MultiLabelRule, labels: readonly string[], noise: number): LabelSetDecision {
  if (rule.at.length !== labels.length) {
    throw new RangeError(`expected a threshold for each of ${labels.length} labels, got ${rule.at.length}`);
  }
  const at = rule.at.map(Math.fround);
  const margin = (row: ArrayLike<number>, label: number): number => must(row[label]) - must(at[label]);
  const holds = (row: ArrayLike<number>, label: number): boolean => margin(row, label) >= 0;
  const heldLabels = (row: ArrayLike<number>): number[] =>
    labels.flatMap((_, label) => (holds(row, label) ? [label] : []));
  const order = byName(labels);
  return {
    rule,
    noise,
    order,
    holds,
    margin,
    label: (row) => {
      const found = order.filter((label) => holds(row, label));
      return found.length === 0 ? NO_LABEL : highestOf(row, found);
    },
    tied: () => [],
    labels: heldLabels,
    right: (row, truth) => {
      const [found, wanted] = [heldLabels(row), trueLabels(truth)];
      return found.length === wanted.length && wanted.every((label) => found.includes(label));
    },
    // The least confident true answer; for a text without labels, the confidence that the most probable one does not apply.
    confidence: (row, truth) => {
      const wanted = trueLabels(truth);
      return wanted.length === 0
        ? 1 - Math.max(...Array.from(row))
        : Math.min(...wanted.map((label) => must(row[label])));
    },
    truth: 'labels',
    readRight: ({ label, labels: given, fromLabels }) => {
      const wanted = trueLabels({ label, labels: given });
      return fromLabels?.length === wanted.length && fromLabels.every((each) => wanted.includes(each));
    },
  };
}

function text({ at }: MultiLabelRule): string {
  const [first, ...others] = [...new Set(at)];
  return others.length === 0
    ? `each label from a score of ${thresholdText(must(first))} on`
    : 'each label from its threshold on';
}

export const deciding: Deciding<LabelSetDecision> = { kind: multiLabelKind, decision: labeller, text };
