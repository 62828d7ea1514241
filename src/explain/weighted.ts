/** @file Result of a method: a weight per word, and the method's figures. */

export interface Weight {
  readonly weight: number;
  readonly low?: number;
  readonly high?: number;
}

export interface WeightedWords {
  /** In text order, one per word. */
  readonly weights: readonly Weight[];
  readonly check: Readonly<Record<string, number | string>>;
}

/** Standard normal quantile of 0.975. */
const Z95 = 1.959963984540054;

/** A weight with its 95 % interval. */
export const interval = (weight: number, standardError: number): Required<Weight> => ({
  weight,
  low: weight - Z95 * standardError,
  high: weight + Z95 * standardError,
});
