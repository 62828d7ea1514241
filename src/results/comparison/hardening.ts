/**
 * @file Gain of adversarial training: the hardened model compared with its initial model, and with a control trained equally long without
 * adversarial examples.
 */
import { must } from '../../core/errors.js';
import { holmOver } from '../../core/statistics/paired.js';
import { type PairedAnswers, seedDifference } from '../../core/statistics/seed-differences.js';
import { mean } from '../../core/statistics/stats.js';
import type { CleanMetrics } from '../clean/clean-metrics.js';
import type { AttackComparison, Comparison, PairedRates } from './comparison.js';

/** Models of one seed, trained and attacked with it. */
export interface SeedComparison {
  readonly seed: number;
  /** Folders of the models. */
  readonly hardened: string;
  readonly control: string;
  /** Hardened against untouched; absent if training began from scratch. */
  readonly gain?: Comparison;
  /** Control against untouched; absent with `gain`. */
  readonly drift?: Comparison;
  /** Hardened against control: the effect of the adversarial examples alone. */
  readonly beyond: Comparison;
}

/** Mean and range over the seeds. */
export interface Spread {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** A difference of two accuracies: its mean and range over the seeds, its 95 % interval and its p-value. */
export interface Change extends Spread {
  readonly interval: { readonly low: number; readonly high: number };
  /**
   * One seed: McNemar's exact test of these two models. Several: texts and seeds are both sampled (core/seed-differences.ts). Holm's correction over
   * the attacks; null without examples.
   */
  readonly p: number | null;
  /** True if it may be chance: `p` is at least 0.05. */
  readonly noise: boolean;
}

/** Unedited accuracy, or accuracy under one attack or any attack of a suite, over the seeds; fractions of 1. */
export interface Gain {
  /** `clean`, a suite, or an attack outside the suites. */
  readonly name: string;
  readonly untouched?: Spread;
  readonly control: Spread;
  readonly hardened: Spread;
  /** Hardened minus untouched, or minus control if there is no untouched model. */
  readonly gain: Change;
  /** Hardened minus control. */
  readonly beyond: Change;
  /** Examples compared, for the seed with the fewest. Below `MIN_COMPARED_EXAMPLES` the gain is not judged. */
  readonly n: number;
}

/** For each verdict (`clean`, a suite, an attack outside them) the answers of both models to each text. */
export type AnswersByVerdict = ReadonlyMap<string, PairedAnswers>;

/** The same of one seed's comparisons. */
export interface SeedTexts {
  readonly gain?: AnswersByVerdict;
  readonly beyond: AnswersByVerdict;
}

export interface HardeningReport {
  readonly data: { readonly name: string; readonly sha256: string; readonly examples: number };
  /** True if these texts also selected the weights, so figures on them are too high. */
  readonly chosenOn: boolean;
  /** The initial model. */
  readonly model?: string;
  /** Its clean metrics on the validation texts. */
  readonly clean?: CleanMetrics;
  readonly seeds: readonly SeedComparison[];
  readonly gains: readonly Gain[];
}

/** Minimum number of examples for a comparison of two models. */
export const MIN_COMPARED_EXAMPLES = 30;

/** Corrected p-values below it are significant. */
export const SIGNIFICANCE_LEVEL = 0.05;

/** Suites of several attacks, then the attacks outside them. A verdict is given on each. */
export function verdictsOn({ suites, attacks }: Pick<Comparison, 'suites' | 'attacks'>): AttackComparison[] {
  const within = new Set(suites.map(({ name }) => name));
  return [...suites, ...attacks.filter(({ suite }) => suite === null || !within.has(suite))];
}

/** Gains over seeds that were compared in the same way; at least one. `texts`: one for each of several seeds. Throws RangeError. */
export function gainsOf(seeds: readonly SeedComparison[], texts: readonly SeedTexts[]): Gain[] {
  const [first] = seeds;
  if (first === undefined) throw new RangeError('expected at least one seed');
  if (seeds.length > 1 && texts.length < seeds.length) throw new RangeError('expected the texts of each seed');
  const names = ['clean', ...verdictsOn(first.beyond).map(({ name }) => name)];
  const judges = first.gain ? 'gain' : 'beyond';
  const changes = (kind: 'gain' | 'beyond'): Change[] =>
    judged(
      names.map((name) => changeOf(name, kind, seeds, texts)),
      seeds.length > 1,
    );
  const [gains, beyond] = [changes(judges), changes('beyond')];
  const accuracy = (name: string, kind: 'gain' | 'beyond', side: 'a' | 'b') =>
    spreadOf(seeds.map((seed) => ratesOf(must(seed[kind]), name)[side].value ?? 0));
  return names.map((name, at) => ({
    name,
    ...(first.gain && { untouched: accuracy(name, 'gain', 'a') }),
    control: accuracy(name, 'beyond', 'a'),
    hardened: accuracy(name, 'beyond', 'b'),
    gain: must(gains[at]),
    beyond: must(beyond[at]),
    n: Math.min(...seeds.map((seed) => ratesOf(must(seed[judges]), name).difference.n)),
  }));
}

const ratesOf = (comparison: Comparison, name: string): PairedRates =>
  name === 'clean' ? comparison.clean : must(verdictsOn(comparison).find((each) => each.name === name));

/** Before the correction. */
function changeOf(
  name: string,
  kind: 'gain' | 'beyond',
  seeds: readonly SeedComparison[],
  texts: readonly SeedTexts[],
): Omit<Change, 'noise'> {
  const rates = seeds.map((seed) => ratesOf(must(seed[kind]), name));
  const spread = spreadOf(rates.map(({ difference }) => difference.value ?? 0));
  const [{ difference, mcnemarP, adjustedP = mcnemarP }] = rates as [PairedRates & Partial<AttackComparison>];
  if (seeds.length === 1)
    return { ...spread, interval: { low: difference.low ?? -1, high: difference.high ?? 1 }, p: adjustedP };
  const rows = texts.map((of) => must(must(of[kind]).get(name)));
  if (rows.some((row) => row.every((one) => one === undefined)))
    return { ...spread, interval: { low: -1, high: 1 }, p: null };
  const { low, high, p } = seedDifference(rows);
  return { ...spread, interval: { low, high }, p };
}

/** One seed's comparison is corrected already. Of several, the attacks' p-values are corrected for their number; the first is of the unedited texts. */
function judged([clean, ...attacks]: readonly Omit<Change, 'noise'>[], correct: boolean): Change[] {
  const ps = attacks.map(({ p }) => p);
  const all = [must(clean).p, ...(correct ? holmOver(ps) : ps)];
  return [must(clean), ...attacks].map((change, at) => {
    const p = all[at] ?? null;
    return { ...change, p, noise: p === null || p >= SIGNIFICANCE_LEVEL };
  });
}

function spreadOf(values: readonly number[]): Spread {
  return { mean: mean(values), low: Math.min(...values), high: Math.max(...values) };
}
