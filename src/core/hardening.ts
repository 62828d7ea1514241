/**
 * @file Gain of adversarial training: the hardened model compared with its initial model, and with a control trained equally long without
 * adversarial examples.
 */
import type { CleanMetrics } from './clean-metrics.js';
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

/** Unedited accuracy, or accuracy under one attack or any attack of a suite, over the seeds; fractions of 1. */
export interface Gain {
  /** `clean`, a suite, or an attack outside the suites. */
  readonly name: string;
  readonly untouched?: Spread;
  readonly control: Spread;
  readonly hardened: Spread;
  /** Hardened minus untouched, or minus control if there is no untouched model. */
  readonly gain: Spread;
  /** Hardened minus control. */
  readonly beyond: Spread;
  /** Examples compared, for the seed with the fewest. Below `MIN_COMPARED_EXAMPLES` the gain is not judged. */
  readonly n: number;
  /**
   * True if the gain may be chance. With one seed: its corrected McNemar p-value is at least 0.05. With several: it is no larger than its
   * range (highest minus lowest).
   */
  readonly noise: boolean;
  /** The same for `beyond`. */
  readonly beyondNoise: boolean;
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

/** Gains over seeds that were compared in the same way; at least one seed. */
export function gainsOf(seeds: readonly SeedComparison[]): Gain[] {
  const [first] = seeds;
  if (first === undefined) throw new RangeError('expected at least one seed');
  const names = ['clean', ...verdictsOn(first.beyond).map(({ name }) => name)];
  return names.map((name) => {
    const of = (comparison: Comparison): PairedRates =>
      name === 'clean' ? comparison.clean : verdictsOn(comparison).find((each) => each.name === name)!;
    const beyond = seeds.map((seed) => of(seed.beyond));
    const gains = seeds.flatMap((seed) => (seed.gain ? [of(seed.gain)] : []));
    const verdictEntries = gains.length > 0 ? gains : beyond;
    const [gain, over] = [verdictEntries, beyond].map((rates) =>
      spreadOf(rates.map(({ difference }) => difference.value ?? 0)),
    ) as [Spread, Spread];
    return {
      name,
      ...(gains.length > 0 && { untouched: spreadOf(gains.map(({ a }) => a.value ?? 0)) }),
      control: spreadOf(beyond.map(({ a }) => a.value ?? 0)),
      hardened: spreadOf(beyond.map(({ b }) => b.value ?? 0)),
      gain,
      beyond: over,
      n: Math.min(...verdictEntries.map(({ difference }) => difference.n)),
      noise: isNoise(gain, verdictEntries),
      beyondNoise: isNoise(over, beyond),
    };
  });
}

const isNoise = ({ mean, low, high }: Spread, rates: readonly PairedRates[]): boolean =>
  rates.length > 1 ? Math.abs(mean) <= high - low : !significant(rates[0]!);

/** Uses the corrected p-value if there is one: attacks have a correction, unedited texts do not. */
export function significant(rates: PairedRates & Partial<Pick<AttackComparison, 'adjustedP'>>): boolean {
  const p = rates.adjustedP ?? rates.mcnemarP;
  return p !== null && p < SIGNIFICANCE_LEVEL;
}

function spreadOf(values: readonly number[]): Spread {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return { mean, low: Math.min(...values), high: Math.max(...values) };
}
