/**
 * @file Figures of the decision on unedited texts, for two runs over the same examples. Proportions are compared with McNemar's exact test,
 * all others with the paired bootstrap.
 */

import type { DecisionRule } from '../../core/decision.js';
import { defined } from '../../core/defined.js';
import { random } from '../../core/random.js';
import { auroc } from '../../core/statistics/auroc.js';
import { averagePrecision } from '../../core/statistics/average-precision.js';
import { pairedBootstrap, type Statistic } from '../../core/statistics/bootstrap.js';
import { mcnemarExact, type PairedCounts, pairedDifference } from '../../core/statistics/paired.js';
import type { CountedEstimate, Difference, Rate } from '../../core/statistics/rate.js';
import { wilson } from '../../core/statistics/stats.js';
import { regressionMetrics } from '../clean/regression-metrics.js';
import type {
  DecidedAnswers,
  DetectorAnswers,
  FoundLetters,
  LabelSetAnswers,
  NumberAnswers,
} from './decided-answers.js';
import * as statistics from './figure-statistics.js';

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
  /** One-sided: did it become worse? */
  readonly pWorse: number | null;
  /** For a proportion: how many examples gave each pair of answers. */
  readonly counts?: PairedCounts;
  /** The data contain no text that the figure is about, so no model has it. */
  readonly absent?: true;
}

/** A run's decision and its answers, in an order of examples that both runs share. */
export interface DecidedRun {
  readonly rule: DecisionRule;
  readonly answers: DecidedAnswers;
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

/** Figures of two runs with the same kind of decision. Label sets are matched by label name. Throws RangeError for different kinds. */
export function pairedFigures(a: DecidedRun, b: DecidedRun, seed: number): PairedFigure[] {
  const [x, y] = [a.answers, b.answers];
  if (x.kind === 'threshold' && y.kind === 'threshold') return detectorFigures(x, y, seed);
  if (x.kind === 'multi-label' && y.kind === 'multi-label') return labelSetFigures(x, y, seed);
  if (x.kind === 'regression' && y.kind === 'regression') return numberFigures([a.rule, b.rule], x, y, seed);
  throw new RangeError(`expected two runs of one kind of decision, got ${x.kind} and ${y.kind}`);
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
function rateFigures(a: FoundLetters, b: FoundLetters, prefix = '', label?: string): PairedFigure[] {
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
interface Resampled {
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

function resample(figures: readonly Resampled[], n: number, seed: number): PairedFigure[] {
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
      ...{ ...naming, a, b, difference },
      p: lower === null || higher === null ? null : Math.min(1, 2 * Math.min(lower, higher)),
      pWorse: naming.higherIsBetter ? lower : higher,
      ...(absent && { absent: true as const }),
    };
  });
}

const placesOf = (n: number, answered: (at: number) => boolean): number[] =>
  Array.from({ length: n }, (_, at) => at).filter(answered);

function detectorFigures(a: DetectorAnswers, b: DetectorAnswers, seed: number): PairedFigure[] {
  const places = placesOf(a.truth.length, (at) => a.found[at] !== '-' && b.found[at] !== '-');
  const positive = places.map((at) => a.truth[at] === '1');
  const read = ({ found, scores }: DetectorAnswers) => {
    const [detected, ofScores] = [places.map((at) => found[at] === '1'), places.map((at) => scores[at]!)];
    const kind = (is: boolean): Float64Array =>
      Float64Array.from(ofScores.filter((_, at) => positive[at] === is)).sort();
    const hits = detected.filter((each, at) => each && positive[at]).length;
    const area = auroc(kind(true), kind(false));
    return {
      ofScores,
      precision: {
        rate: wilson(hits, detected.filter(Boolean).length),
        by: statistics.precision(positive, detected),
      },
      auroc: {
        rate: area ? { ...area, n: places.length } : wilson(0, 0),
        by: statistics.areaUnderRoc(positive, ofScores),
      },
      averagePrecision: {
        rate: averagePrecision(kind(true), kind(false)) ?? wilson(0, 0),
        by: statistics.meanPrecision(positive, ofScores),
      },
    };
  };
  const [x, y] = [read(a), read(b)];
  const oneKind = !a.truth.includes('1') || !a.truth.includes('0');
  const figure = (metric: 'precision' | 'auroc' | 'averagePrecision', differing: number): Resampled => ({
    ...{ naming: { metric, higherIsBetter: true }, absent: oneKind, of: [x[metric], y[metric]], differing },
  });
  const scored = x.ofScores.filter((score, at) => score !== y.ofScores[at]).length;
  const decided = places.filter((at) => a.found[at] !== b.found[at]).length;
  return [
    ...rateFigures(a, b),
    ...resample(
      [figure('precision', decided), figure('auroc', scored), figure('averagePrecision', scored)],
      places.length,
      seed,
    ),
  ];
}

function labelSetFigures(a: LabelSetAnswers, given: LabelSetAnswers, seed: number): PairedFigure[] {
  // Models may order the same labels differently.
  const b = a.labels.map(({ label }) => given.labels.find((each) => each.label === label) as FoundLetters);
  const n = a.labels[0]?.truth.length ?? 0;
  const answered = (of: readonly FoundLetters[], at: number): boolean => of.every(({ found }) => found[at] !== '-');
  const exact = (of: readonly FoundLetters[]): string =>
    Array.from({ length: n }, (_, at) =>
      answered(of, at) ? (of.every(({ truth, found }) => truth[at] === found[at]) ? '1' : '0') : '-',
    ).join('');
  const places = placesOf(n, (at) => answered(a.labels, at) && answered(b, at));
  const differing = places.filter((at) =>
    a.labels.some(({ found }, label) => found[at] !== b[label]?.found[at]),
  ).length;
  const [x, y] = [a.labels, b].map((of) => statistics.labelSetScores(of, places)) as [
    ReturnType<typeof statistics.labelSetScores>,
    ReturnType<typeof statistics.labelSetScores>,
  ];
  const f1 = (metric: 'microF1' | 'macroF1'): Resampled => ({
    naming: { metric, higherIsBetter: true },
    of: [{ by: x[metric] }, { by: y[metric] }],
    differing,
  });
  return [
    proportion({ metric: 'accuracy', higherIsBetter: true }, countPairs(exact(a.labels), exact(b))),
    ...resample([f1('microF1'), f1('macroF1')], places.length, seed),
    ...a.labels.flatMap((each, at) => rateFigures(each, b[at]!, `labelSets.perLabel.${each.label}.`, each.label)),
  ];
}

const rateOf = (found: CountedEstimate | undefined): Rate => found ?? wilson(0, 0);

function numberFigures(
  rules: readonly DecisionRule[],
  a: NumberAnswers,
  b: NumberAnswers,
  seed: number,
): PairedFigure[] {
  const places = placesOf(a.truth.length, (at) => a.answers[at] != null && b.answers[at] != null);
  const truth = places.map((at) => a.truth[at]!);
  const [ofA, ofB] = [a, b].map(({ answers }) => places.map((at) => answers[at]!)) as [number[], number[]];
  const [x, y] = [ofA, ofB].map((answers) => ({
    rates: regressionMetrics(truth, answers),
    by: statistics.numberScores(truth, answers),
  })) as [NumberFigures, NumberFigures];
  const differing = ofA.filter((answer, at) => answer !== ofB[at]).length;
  const within = (answers: readonly number[], rule: DecisionRule | undefined): string =>
    answers
      .map((answer, at) => (rule?.kind === 'regression' && Math.abs(answer - truth[at]!) < rule.delta ? '1' : '0'))
      .join('');
  const figure = (name: keyof NumberFigures['by'], higherIsBetter: boolean): Resampled => ({
    naming: { metric: `regression.${name}`, higherIsBetter },
    of: [
      { rate: rateOf(x.rates[name]), by: x.by[name] },
      { rate: rateOf(y.rates[name]), by: y.by[name] },
    ],
    differing,
  });
  return [
    proportion({ metric: 'accuracy', higherIsBetter: true }, countPairs(within(ofA, rules[0]), within(ofB, rules[1]))),
    ...resample(
      [
        figure('meanSquaredError', false),
        figure('meanAbsoluteError', false),
        figure('pearson', true),
        figure('spearman', true),
      ],
      places.length,
      seed,
    ),
  ];
}

interface NumberFigures {
  readonly rates: ReturnType<typeof regressionMetrics>;
  readonly by: ReturnType<typeof statistics.numberScores>;
}
