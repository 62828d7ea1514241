/**
 * @file Figures that a record states, against what its outcomes count. Every reader of outcomes does this, so that no judge believes a figure that
 * somebody wrote into run.json or report.json.
 */
import type { Decision } from '../../core/decision.js';
import { must } from '../../core/errors.js';
import type { Outcome } from '../../core/outcome.js';
import type { Rate } from '../../core/statistics/rate.js';
import { sum, wilson } from '../../core/statistics/stats.js';
import { classScores } from '../clean/class-scores.js';
import type { CleanMetrics } from '../clean/clean-metrics.js';
import { type Cell, Confusion, cellsOf, classCounts } from '../clean/confusion.js';
import { standingOf } from '../measures/attack-rates.js';

const TOLERANCE = 1e-9;

/** Counts what the outcomes of each attack say of the unedited texts. `labels` are the model's. */
export function cleanRecount(labels: readonly string[], decision: Decision) {
  const attacks = new Map<string, { right: number[]; wrong: number[]; confusion: Confusion }>();
  return {
    add(outcome: Outcome): void {
      const { attack, label, from } = outcome;
      const standing = standingOf(outcome);
      // One example of a model that tags has an outcome for each entity.
      if (standing === undefined || outcome.entity !== undefined) return;
      const of = attacks.get(attack) ?? { right: [0, 0], wrong: [0, 0], confusion: new Confusion(labels.length) };
      attacks.set(attack, of);
      const side = Number(decision.isPositive?.(label) ?? false);
      const counts = standing === 'wrong' ? of.wrong : of.right;
      counts[side]! += 1;
      if (label in labels && from >= 0) of.confusion.add(label, from);
    },

    /** The first figure of these that the outcomes contradict; undefined where they contradict none. */
    contradicts(clean: CleanMetrics): string | undefined {
      // The victim itself answers the unedited texts, an approximation of it those of the searches. A set of labels may be attacked that is not wholly right.
      if (clean.approximation !== undefined || clean.tags !== undefined || decision.truth === 'labels')
        return undefined;
      for (const { right, wrong, confusion } of attacks.values()) {
        const problem =
          outOfCounts('accuracy', clean.accuracy, sum(right), sum(wrong)) ??
          (decision.isPositive
            ? (outOfCounts('recall', clean.recall, must(right[1]), must(wrong[1])) ??
              outOfCounts('falsePositiveRate', clean.falsePositiveRate, must(wrong[0]), must(right[0])))
            : undefined) ??
          lessThan(cellsOf(clean), confusion.cells());
        if (problem !== undefined) return `clean.${problem}`;
      }
      return ofConfusion(labels, clean);
    },
  };
}

/** A share of which at least so many are known to be in and out. */
function outOfCounts(name: string, rate: Rate | undefined, inside: number, outside: number): string | undefined {
  if (rate === undefined || rate.value === null) return undefined;
  const part = rate.value * rate.n;
  const counted = `${inside} of ${inside + outside} by its outcomes`;
  if (part < inside - TOLERANCE * rate.n || part > rate.n - outside + TOLERANCE * rate.n)
    return `${name}: expected ${counted}, got ${rate.value} of ${rate.n}`;
  return differs(wilson(Math.round(part), rate.n), rate, name);
}

/** Answers to the unedited texts that the outcomes hold, and the table lacks. */
function lessThan(stated: readonly Cell[], counted: readonly Cell[]): string | undefined {
  if (stated.length === 0) return undefined;
  const held = new Map(stated.map(([truth, predicted, n]) => [`${truth}, ${predicted}`, n]));
  const less = counted.find(([truth, predicted, n]) => (held.get(`${truth}, ${predicted}`) ?? 0) < n);
  return less && `confusion: expected at least ${less[2]} at ${less[0]}, ${less[1]}`;
}

/** The figures of classes follow from the confusion of the labels. */
function ofConfusion(labels: readonly string[], clean: CleanMetrics): string | undefined {
  const { accuracy, macroF1, microF1, fBeta, perClass, tied } = clean;
  const cells = cellsOf(clean);
  if (cells.length === 0 || tied !== undefined) return undefined;
  const counts = classCounts(cells, labels.length);
  const scores = classScores(labels, counts, fBeta?.beta ?? 1);
  const stated = { macroF1, perClass, ...(fBeta && { fBeta }), total: accuracy.n };
  const problem = differs({ ...scores, total: sum(counts.map(({ support }) => support)) }, stated);
  if (problem !== undefined) return `clean.${problem}`;
  return differs({ microF1: accuracy.value ?? 0 }, { microF1 })?.replace(/^/, 'clean.');
}

/** Where a stated value is not the counted one: numbers to a billionth, keys that both have. Undefined where it is. */
export function differs(counted: unknown, stated: unknown, path = ''): string | undefined {
  if (typeof counted === 'number' && typeof stated === 'number') {
    return Math.abs(counted - stated) <= TOLERANCE * Math.max(1, Math.abs(counted))
      ? undefined
      : `${path}: expected ${counted} by its outcomes, got ${stated}`;
  }
  if (!isNested(counted) || !isNested(stated))
    return counted === stated ? undefined : `${path}: expected ${counted} by its outcomes, got ${stated}`;
  if (Array.isArray(counted) && Array.isArray(stated) && counted.length !== stated.length)
    return `${path}: expected ${counted.length} by its outcomes, got ${stated.length}`;
  for (const [key, value] of Object.entries(counted)) {
    if (value === undefined || stated[key] === undefined) continue;
    const problem = differs(value, stated[key], path === '' ? key : `${path}.${key}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const isNested = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
