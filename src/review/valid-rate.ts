/**
 * @file Rates that count only valid successes. A success of attack a keeps its label with probability p_a, of which a review gives an
 * estimate and bounds. An example counts as flipped if any of its successes is valid: w = 1 - prod(1 - p_a) over the attacks that flip it.
 * This takes the validity of two texts of one example as independent. Where one text is valid if the other is, w is too high, so the rate
 * errs towards the attacker.
 *
 * The joint interval recovers variances from the bounds of the parts (MOVER; Zou and Donner 2008, Statistics in Medicine 27): the squared
 * distances from the estimate add up, one for each p_a and one for the sample of examples.
 */
import type { Rate } from '../core/statistics/rate.js';
import { wilsonBounds } from '../core/statistics/stats.js';

/** Examples that the same attacks flip. */
export interface FlipPattern {
  /** Names of the attacks; empty for examples that none flips. */
  readonly attacks: readonly string[];
  readonly examples: number;
  /** Flipped without an attack: misclassified from the start. */
  readonly flipped?: true;
}

/** Attack -> share of its texts that keep their label. */
export type KeptShares = ReadonlyMap<string, Rate>;

type RateBound = 'value' | 'low' | 'high';

/**
 * Share of the examples with a valid success. `n` of the rate is the number of texts that readers decided. Undefined if an attack that flips
 * examples was not read, or without examples.
 */
export function validShare(patterns: readonly FlipPattern[], shares: KeptShares): Rate | undefined {
  const flipping = [...new Set(patterns.flatMap(({ attacks }) => attacks))];
  const examples = patterns.reduce((sum, each) => sum + each.examples, 0);
  if (examples === 0 || flipping.some((name) => (shares.get(name)?.value ?? null) === null)) return undefined;
  const shareWith = (moved?: string, bound: RateBound = 'value'): number => {
    let total = 0;
    for (const { attacks, examples: many, flipped } of patterns) {
      let invalid = flipped ? 0 : 1;
      for (const name of attacks) invalid *= 1 - (shares.get(name)?.[name === moved ? bound : 'value'] ?? 0);
      total += many * (1 - invalid);
    }
    return Math.min(1, total / examples);
  };
  const value = shareWith();
  const sample = wilsonBounds(value, examples);
  const distance = (bound: 'low' | 'high'): number =>
    Math.hypot(sample[bound] - value, ...flipping.map((name) => shareWith(name, bound) - value));
  const n = flipping.reduce((sum, name) => sum + (shares.get(name)?.n ?? 0), 0);
  return n === 0
    ? undefined
    : { value, low: Math.max(0, value - distance('low')), high: Math.min(1, value + distance('high')), n };
}
