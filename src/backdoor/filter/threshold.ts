/** @file From which score on a text is a suspect. */

/**
 * The smallest threshold that at most a share `frr` of future clean texts is expected to exceed. Given n clean scores, it is the k-th
 * highest for k = floor(frr (n + 1)), or the highest if k is 0 (Vovk et al. 2005, section 2.2: a new clean text exceeds it with probability
 * at most k / (n + 1)).
 */
export function quantileThreshold(clean: Float64Array, frr: number): number {
  const sorted = clean.toSorted().reverse();
  return sorted[Math.max(0, Math.floor(frr * (sorted.length + 1)) - 1)]!;
}

/** How many clean texts are needed before a false rejection rate can be held: below, the highest clean score is the threshold. */
export const cleanNeeded = (frr: number): number => Math.ceil(1 / frr) - 1;

/**
 * Where no clean texts are known: as if most scores were clean and normal, the median plus as many deviations as leave a
 * share of `frr` above. Deviations are taken below the median only (1.4826 times the median distance), where poison does not reach.
 */
export function robustThreshold(scores: Float64Array, frr: number): number {
  const sorted = scores.toSorted();
  const median = sorted[Math.floor(sorted.length / 2)]!;
  const below = sorted.filter((score) => score <= median).map((score) => median - score);
  const spread = 1.4826 * below.toSorted()[Math.floor(below.length / 2)]!;
  return median + upperQuantile(frr) * spread;
}

/** z with P(Z > z) = p for a standard normal Z; Abramowitz and Stegun 26.2.23, error below 4.5e-4. */
export function upperQuantile(p: number): number {
  if (p > 0.5) return -upperQuantile(1 - p);
  const t = Math.sqrt(-2 * Math.log(p));
  return t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}
