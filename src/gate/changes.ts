/**
 * @file Has it become worse? Two answers about the same examples, then and now: the exact McNemar test for proportions, with Newcombe's
 * paired interval, and the paired bootstrap for other figures, both one-sided. Holm's correction keeps the chance that a release no worse
 * than the baseline fails at 5 % in all, however many figures there are (bench/gate-calibration.ts).
 */
import { defined } from '../core/defined.js';
import { quantity } from '../core/figure-text.js';
import { holm } from '../core/statistics/paired.js';
import type { PairedFigure } from '../results/comparison/paired-figures.js';
import type { JudgedChange } from '../results/report/verdict.js';

/** Chance of failing a release that is no worse. */
const ALPHA = 0.05;

export interface PairedChange {
  readonly name: string;
  /** A is the baseline, B the run. */
  readonly figure: PairedFigure;
  /** Why the figure says nothing. */
  readonly spoilt?: string | undefined;
}

/**
 * Fails a significant deterioration larger than `maxIncrease`. On fewer than `minExamples` the verdict is inconclusive; for the figures of a
 * single label that is only a warning.
 */
export function judgeChanges(
  changes: readonly PairedChange[],
  maxIncrease: number,
  minExamples: number,
): JudgedChange[] {
  const adjusted = holm(changes.map(({ figure }) => figure.pWorse ?? 1));
  return changes.map((change, at): JudgedChange => {
    const { name, figure } = change;
    const { metric, higherIsBetter, a, b, difference, counts, label } = figure;
    const reason = unjudged(change, minExamples);
    const adjustedP = adjusted[at]!;
    const failed = adjustedP <= ALPHA && decline(figure) > maxIncrease;
    const warns = label !== undefined && difference.n < minExamples;
    return {
      name,
      metric,
      higherIsBetter,
      baseline: a,
      current: b,
      difference,
      ...(counts && (higherIsBetter ? sides(counts.onlyA, counts.onlyB) : sides(counts.onlyB, counts.onlyA))),
      p: figure.pWorse ?? 1,
      adjustedP,
      ...(warns && { level: 'warn' as const }),
      verdict: reason !== undefined ? 'inconclusive' : failed ? 'failed' : 'passed',
      ...defined({ reason }),
    };
  });
}

/** Examples that became worse, and better. */
const sides = (worse: number, better: number) => ({ worse, better });

function unjudged({ figure, spoilt }: PairedChange, minExamples: number): string | undefined {
  const { a, b, difference, counts } = figure;
  const { n } = difference;
  if (counts !== undefined && n === 0) return 'there is no example for which both have it';
  if (spoilt !== undefined) return spoilt;
  if (difference.value === null || figure.pWorse === null) {
    return `it is not defined for ${a.value === null ? (b.value === null ? 'either run' : 'the baseline') : 'this run'}`;
  }
  return n < minExamples ? `both have it for ${quantity(n, 'example')}, expected at least ${minExamples}` : undefined;
}

/** How much worse it became: of errors, which have no upper end, relative to the baseline. */
function decline({ metric, higherIsBetter, a, difference }: PairedFigure): number {
  const worse = (higherIsBetter ? -1 : 1) * (difference.value ?? 0);
  return metric.endsWith('Error') ? worse / Math.max(a.value ?? 0, Number.MIN_VALUE) : worse;
}
