/**
 * @file Figures of the decision on unedited texts, for two runs over the same examples. Proportions are compared with McNemar's exact test,
 * all others with the paired bootstrap.
 */
import { defined } from '../../core/defined.js';
import { random } from '../../core/random.js';
import { pairedBootstrap, type Statistic } from '../../core/statistics/bootstrap.js';
import { mcnemarExact, type PairedCounts, pairedDifference } from '../../core/statistics/paired.js';
import type { Difference, Rate } from '../../core/statistics/rate.js';
import { wilson } from '../../core/statistics/stats.js';
import type { FoundLetters } from './found-letters.js';

/** One figure of run A and of run B on the examples that both answered. */
export interface PairedFigure {
  /** Name in a requirement of the gate, after `clean.` or an attack's name: `recall`, `regression.pearson`. */
  readonly metric: string;
  /** The label that the figure is about. */
  readonly label?: string;
  readonly higherIsBetter: boolean;
  readonly a: Rate;
  readonly b: Rate;
  /** b - a. */
  readonly difference: Difference;
  /** Two-sided; null if it is undefined for either run. */
  readonly p: number | null;
  /** One-sided: whether it became worse. */
  readonly pWorse: number | null;
  /** For a proportion: how many examples gave each pair of answers. */
  readonly counts?: PairedCounts;
  /** The data contain no text that the figure is about, so no model has it. */
  readonly absent?: true;
}

type Naming = Pick<PairedFigure, 'metric' | 'higherIsBetter'> & { readonly label?: string };

/** Exact McNemar test, with Newcombe's interval of the difference. */
export function proportion(naming: Naming, counts: PairedCounts): PairedFigure {
  const { both, onlyA, onlyB, neither } = counts;
  const n = both + onlyA + onlyB + neither;
  const [worse, better] = naming.higherIsBetter ? [onlyA, onlyB] : [onlyB, onlyA];
  const p = mcnemarExact(onlyA, onlyB);
  return {
    ...naming,
    a: wilson(both + onlyA, n),
    b: wilson(both + onlyB, n),
    difference: pairedDifference(counts),
    p: n === 0 ? null : p,
    pWorse: n === 0 ? null : worse > better ? p / 2 : 1,
    counts,
  };
}

/** Counts the letters `1` and `0` of two runs at the indices for which `of` holds and both have one of these. */
export function countPairs(a: string, b: string, of: (at: number) => boolean = () => true): PairedCounts {
  const counts = { both: 0, onlyA: 0, onlyB: 0, neither: 0 };
  const cells = { '11': 'both', '10': 'onlyA', '01': 'onlyB', '00': 'neither' } as const;
  for (let at = 0; at < a.length; at++) {
    const cell = cells[`${a[at]}${b[at]}` as keyof typeof cells];
    if (cell !== undefined && of(at)) counts[cell] += 1;
  }
  return counts;
}

/** Recall and false positive rate of a property that some texts have. */
export function rateFigures(a: FoundLetters, b: FoundLetters, prefix = '', label?: string): PairedFigure[] {
  const rate = (metric: string, higherIsBetter: boolean, truth: string): PairedFigure => ({
    ...proportion(
      { metric: `${prefix}${metric}`, higherIsBetter, ...defined({ label }) },
      countPairs(a.found, b.found, (at) => a.truth[at] === truth),
    ),
    ...(!a.truth.includes(truth) && { absent: true as const }),
  });
  return [rate('recall', true, '1'), rate('falsePositiveRate', false, '0')];
}

/** A figure to resample: its value with an interval in each run, and how to compute it from weighted examples. */
export interface Resampled {
  readonly naming: Naming;
  readonly absent?: boolean;
  readonly of: readonly [Measured, Measured];
  /** Examples that the runs answered differently. */
  readonly differing: number;
}

interface Measured {
  readonly rate?: Rate;
  readonly by: Statistic;
}

export function resample(figures: readonly Resampled[], n: number, seed: number): PairedFigure[] {
  const found = pairedBootstrap(
    n,
    figures.map(({ of: [a, b], differing }) => ({ a: a.by, b: b.by, differing })),
    random(seed, 'paired bootstrap'),
  );
  const once = new Uint8Array(n).fill(1);
  return figures.map(({ naming, absent, of }, at): PairedFigure => {
    const { difference, lower, higher, ...bounds } = found[at]!;
    const [a, b] = of.map(({ rate, by }, which): Rate => {
      const value = by(once);
      if (rate !== undefined || n === 0 || value === undefined) return rate ?? wilson(0, 0);
      const around = which === 0 ? bounds.a : bounds.b;
      return { value, low: around?.low ?? null, high: around?.high ?? null, n };
    }) as [Rate, Rate];
    return {
      ...naming,
      a,
      b,
      difference,
      p: lower === null || higher === null ? null : Math.min(1, 2 * Math.min(lower, higher)),
      pWorse: naming.higherIsBetter ? lower : higher,
      ...(absent && { absent: true as const }),
    };
  });
}

export const placesOf = (n: number, answered: (at: number) => boolean): number[] =>
  Array.from({ length: n }, (_, at) => at).filter(answered);
