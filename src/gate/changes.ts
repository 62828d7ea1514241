/**
 * @file Has it become worse? Two answers about the same examples, then and now: the exact McNemar test, one-sided, and
 * Newcombe's paired interval. Holm's correction keeps the chance that a release no worse than the baseline fails at 5 % in all,
 * however many attacks there are (bench/gate-calibration.ts).
 */
import { holm, mcnemarExact, type PairedCounts, pairedDifference } from '../core/paired.js';
import { wilson } from '../core/stats.js';
import type { JudgedChange } from '../core/verdict.js';

/** Chance of failing a release that is no worse. */
const ALPHA = 0.05;

export interface PairedChange {
  readonly name: string;
  readonly metric: JudgedChange['metric'];
  /** A is the baseline, B the run: broken by the attack, or for the accuracy read right. */
  readonly counts: PairedCounts;
  /** Why the counts say nothing. */
  readonly spoilt?: string | undefined;
}

/** Fails a change that is significant and larger than `maxIncrease`; on fewer than `minExamples` it is inconclusive. */
export function judgeChanges(
  changes: readonly PairedChange[],
  maxIncrease: number,
  minExamples: number,
): JudgedChange[] {
  const ps = changes.map(oneSided);
  const adjusted = holm(ps);
  return changes.map((change, at): JudgedChange => {
    const { name, metric, counts, spoilt } = change;
    const { both, onlyA, onlyB, neither } = counts;
    const n = both + onlyA + onlyB + neither;
    const difference = pairedDifference(counts);
    const [worse, better] = sides(change);
    const few = n < minExamples ? `both have it for ${n} examples, expected at least ${minExamples}` : undefined;
    const reason = n === 0 ? 'there is no example for which both have it' : (spoilt ?? few);
    const rise = (worse - better) / Math.max(1, n);
    const adjustedP = adjusted[at] as number;
    const failed = adjustedP <= ALPHA && rise > maxIncrease;
    return {
      ...{ name, metric, difference, worse, better, p: ps[at] as number, adjustedP },
      baseline: wilson(both + onlyA, n),
      current: wilson(both + onlyB, n),
      verdict: reason !== undefined ? 'inconclusive' : failed ? 'failed' : 'passed',
      ...(reason !== undefined && { reason }),
    };
  });
}

/** Examples that became worse, and better. */
const sides = ({ metric, counts: { onlyA, onlyB } }: PairedChange): [number, number] =>
  metric === 'accuracy' ? [onlyA, onlyB] : [onlyB, onlyA];

/** How likely so many or more of the changed examples became worse, were both ways as likely. The distribution is symmetric. */
function oneSided(change: PairedChange): number {
  const [worse, better] = sides(change);
  return worse > better ? mcnemarExact(better, worse) / 2 : 1;
}
