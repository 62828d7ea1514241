/** @file Whether figures of two decisions are comparable, and how the decisions differ. */
import { z } from 'zod';
import { type DecisionRule, decisionText, type ThresholdRule } from '../../core/decision.js';
import type { Declared } from '../../core/declared.js';

/** A victim's decision and its labels, by index. */
export interface DecidedModel {
  /** Absent if the decision is the most probable label. */
  readonly rule: DecisionRule | undefined;
  readonly labels: readonly string[];
}

export const decisionDifferenceSchema = z
  .object({
    kind: z.enum(['incomparable', 'calibrated', 'moved']),
    what: z.enum(['decision', 'labels', 'delta']),
    a: z.string(),
    b: z.string(),
  })
  .meta({ id: 'decisionDifference', description: 'How two decisions differ; a and b describe each in words.' });

/**
 * How two decisions differ. `incomparable`: different kinds or labels, so their figures mean different things. `calibrated`: both
 * thresholds were found by the same rule, such as 1 % false positives on one data set. `moved`: the decision alone changes some figures.
 */
export interface DecisionDifference extends Declared<typeof decisionDifferenceSchema> {}

const text = (rule: DecisionRule | undefined): string =>
  rule === undefined ? 'the most probable label' : decisionText(rule);
const list = (names: readonly string[]): string => [...names].sort().join(', ');

/** Undefined if both decide alike. */
export function decisionDifference(a: DecidedModel, b: DecidedModel): DecisionDifference | undefined {
  const [x, y] = [a.rule, b.rule];
  const between = (kind: DecisionDifference['kind']): DecisionDifference => ({
    ...{ kind, what: 'decision', a: text(x), b: text(y) },
  });
  if (x === undefined || y === undefined) return x === y ? undefined : between('incomparable');
  if (x.kind === 'threshold' && y.kind === 'threshold') {
    const kind = thresholdDifference(x, y);
    return kind && between(kind);
  }
  if (x.kind === 'multi-label' && y.kind === 'multi-label')
    return labelDifference({ labels: a.labels, at: x.at }, { labels: b.labels, at: y.at });
  if (x.kind !== 'regression' || y.kind !== 'regression') return between('incomparable');
  return x.delta === y.delta ? undefined : { kind: 'moved', what: 'delta', a: String(x.delta), b: String(y.delta) };
}

function thresholdDifference(x: ThresholdRule, y: ThresholdRule): DecisionDifference['kind'] | undefined {
  if (list(x.positive) !== list(y.positive)) return 'incomparable';
  const sameScore = x.by === y.by || x.positive.length === 1;
  if (x.at === y.at && sameScore) return undefined;
  const [found, other] = [x.calibration, y.calibration];
  const alike = found !== undefined && found.wanted === other?.wanted && found.data === other.data;
  return alike && sameScore ? 'calibrated' : 'moved';
}

interface LabelThresholds {
  readonly labels: readonly string[];
  readonly at: readonly number[];
}

function labelDifference(a: LabelThresholds, b: LabelThresholds): DecisionDifference | undefined {
  if (list(a.labels) !== list(b.labels))
    return { kind: 'incomparable', what: 'labels', a: list(a.labels), b: list(b.labels) };
  const thresholdOf = ({ labels, at }: LabelThresholds, label: string) => at[labels.indexOf(label)];
  const moved = a.labels.filter((label) => thresholdOf(a, label) !== thresholdOf(b, label));
  const each = (model: LabelThresholds): string =>
    moved.map((label) => `${label} from ${thresholdOf(model, label)} on`).join(', ');
  return moved.length === 0 ? undefined : { kind: 'moved', what: 'decision', a: each(a), b: each(b) };
}
