/** @file What adversarial training gained: the hardened model against the one it began as, and against one trained equally long without. */
import type { CleanMetrics } from './clean-metrics.js';
import type { AttackComparison, Comparison, PairedRates } from './comparison.js';

/** One seed's models, trained and attacked with it. */
export interface SeedComparison {
  readonly seed: number;
  /** Folders of the models. */
  readonly hardened: string;
  readonly control: string;
  /** Hardened against untouched; absent where the training began from nothing. */
  readonly gain?: Comparison;
  /** Control against untouched; absent with `gain`. */
  readonly drift?: Comparison;
  /** Hardened against control: what the adversarial examples alone brought. */
  readonly beyond: Comparison;
}

/** A number over the seeds. */
export interface Spread {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** Unedited accuracy, or accuracy under one attack or any of a suite, over the seeds; fractions of 1. */
export interface Gain {
  /** `clean`, a suite, or an attack outside the suites. */
  readonly name: string;
  readonly untouched?: Spread;
  readonly control: Spread;
  readonly hardened: Spread;
  /** Hardened less untouched, or less control where there is no untouched model. */
  readonly gain: Spread;
  /** Hardened less control. */
  readonly beyond: Spread;
  /** Examples compared, of the seed with the fewest: below `MIN_COMPARED_EXAMPLES` nothing is said of the gain. */
  readonly n: number;
  /**
   * The gain is no more than chance: with one seed, its corrected McNemar p-value is 0.05 or more; with several, it is no larger than its
   * own spread (highest less lowest).
   */
  readonly noise: boolean;
  /** The same of `beyond`. */
  readonly beyondNoise: boolean;
}

export interface HardeningReport {
  readonly data: { readonly name: string; readonly sha256: string; readonly examples: number };
  /** The texts that chose the weights to keep: figures on them flatter. */
  readonly chosenOn: boolean;
  /** The model the training began from. */
  readonly model?: string;
  /** Its clean metrics on the validation texts. */
  readonly clean?: CleanMetrics;
  readonly seeds: readonly SeedComparison[];
  readonly gains: readonly Gain[];
}

/** Examples below which a comparison says nothing of two models. */
export const MIN_COMPARED_EXAMPLES = 30;

/** A corrected p-value below it counts. */
export const SIGNIFICANCE_LEVEL = 0.05;

/** Suites of several attacks, then the attacks outside them: what a verdict is given on. */
export function verdictsOn({ suites, attacks }: Pick<Comparison, 'suites' | 'attacks'>): AttackComparison[] {
  const within = new Set(suites.map(({ name }) => name));
  return [...suites, ...attacks.filter(({ suite }) => suite === null || !within.has(suite))];
}

/** The gains over seeds that were compared alike; at least one seed. */
export function gainsOf(seeds: readonly SeedComparison[]): Gain[] {
  const [first] = seeds;
  if (first === undefined) throw new RangeError('expected at least one seed');
  const names = ['clean', ...verdictsOn(first.beyond).map(({ name }) => name)];
  return names.map((name) => {
    const of = (comparison: Comparison): PairedRates =>
      name === 'clean'
        ? comparison.clean
        : (verdictsOn(comparison).find((each) => each.name === name) as AttackComparison);
    const beyond = seeds.map((seed) => of(seed.beyond));
    const gains = seeds.flatMap((seed) => (seed.gain ? [of(seed.gain)] : []));
    const told = gains.length > 0 ? gains : beyond;
    const [gain, over] = [told, beyond].map((rates) =>
      spreadOf(rates.map(({ difference }) => difference.value ?? 0)),
    ) as [Spread, Spread];
    return {
      name,
      ...(gains.length > 0 && { untouched: spreadOf(gains.map(({ a }) => a.value ?? 0)) }),
      control: spreadOf(beyond.map(({ a }) => a.value ?? 0)),
      hardened: spreadOf(beyond.map(({ b }) => b.value ?? 0)),
      gain,
      beyond: over,
      n: Math.min(...told.map(({ difference }) => difference.n)),
      noise: isNoise(gain, told),
      beyondNoise: isNoise(over, beyond),
    };
  });
}

const isNoise = ({ mean, low, high }: Spread, rates: readonly PairedRates[]): boolean =>
  rates.length > 1 ? Math.abs(mean) <= high - low : !significant(rates[0] as PairedRates);

/** Corrected where there is a correction: over attacks, not for unedited texts. */
export function significant(rates: PairedRates & Partial<Pick<AttackComparison, 'adjustedP'>>): boolean {
  const p = rates.adjustedP ?? rates.mcnemarP;
  return p !== null && p < SIGNIFICANCE_LEVEL;
}

function spreadOf(values: readonly number[]): Spread {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return { mean, low: Math.min(...values), high: Math.max(...values) };
}
