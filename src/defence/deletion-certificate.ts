/**
 * @file How far a text may be edited before a vote over versions with deletions may turn (Huang et al. 2023, RS-Del, Theorem 7; with a rate
 * that depends on the length, Huang et al. 2025, AdaptDel, arXiv 2511.09316). A share q of all versions of a text gives the label. s
 * substitutions, d deletions and i insertions make another text of it. Only what both have in common is read with probability rate^(s + d)
 * of the first and rate'^(s + i) of the second, where rate and rate' belong to their lengths. At least a share (q - 1 + rate^(s + d)) /
 * rate^(s + d) of these versions of the first text gives the label. The second text has the same versions, but not with the same
 * probabilities if the rates differ: then the versions that give the label are, at worst, those whose probability falls most, which depends
 * on how many of the common units they keep (Neyman and Pearson).
 */
import type { Classifier } from '../core/classifier.js';
import { queryParts } from '../core/pair.js';
import { NO_LABEL, predictedLabel } from '../core/prediction.js';
import { binomialQuantile } from '../core/stats.js';
import { type DeletionOptions, deletionRate, deletionVotes, unitsOf } from './random-deletion.js';

/** Edits that a text may take, of one kind or of several. */
export interface EditRadii {
  /** Edits of all kinds: Levenshtein's distance. */
  readonly edits: number;
  readonly insertions: number;
  readonly deletions: number;
}

export interface EditCertificate {
  /** Label of the vote; NO_LABEL if labels tie. */
  readonly label: number;
  /**
   * A text within one of these radii gets the same vote, except with probability `alpha` over its sampled versions; the radii are valid
   * except with probability `alpha` over the samples of the original text. Undefined: the vote is too close, and the certificate abstains.
   */
  readonly radii: EditRadii | undefined;
}

/** A text as its versions depend on it. */
export interface DeletedText {
  /** Number of units, in both texts of a pair. */
  readonly units: number;
  /** The probability that a unit is left out, for a text of `units` units. */
  readonly rateOf: (units: number) => number;
}

type EditCounts = Readonly<Record<'substitutions' | 'deletions' | 'insertions', number>>;

/** Least share of the versions of an edited text that give the label, where a share of at least `share` gives it to the text. */
export function leastShare(
  share: number,
  { units, rateOf }: DeletedText,
  { substitutions = 0, deletions = 0, insertions = 0 }: Partial<EditCounts>,
): number {
  const common = Math.max(0, units - substitutions - deletions);
  const [rate, otherRate] = [rateOf(units), rateOf(common + substitutions + insertions)];
  const alone = rate ** (substitutions + deletions);
  const ofCommon = Math.max(0, (share - 1 + alone) / alone);
  return otherRate ** (substitutions + insertions) * leastUnderRate(ofCommon, common, { rate, otherRate });
}

/** Rounding errors of sums over as many as 10,000 units stay far below it. */
const ROUNDING = 1e-9;

/** The least probability under the other rate of any set of versions of `units` that has probability `share` under the rate. */
function leastUnderRate(
  share: number,
  units: number,
  { rate, otherRate }: { readonly rate: number; readonly otherRate: number },
): number {
  if (rate === otherRate) return share;
  // Versions that keep many units are the ones that a higher rate makes rarer.
  const [kept, step] = otherRate > rate ? [units, -1] : [0, 1];
  let [left, least, logChoices] = [share, 0, 0];
  for (let count = kept; left > 0 && 0 <= count && count <= units; count += step) {
    const logOf = (p: number): number => logChoices + count * Math.log(1 - p) + (units - count) * Math.log(p);
    const mass = Math.exp(logOf(rate));
    least += Math.exp(logOf(otherRate)) * Math.min(1, left / mass);
    left -= mass;
    logChoices += step < 0 ? Math.log(count / (units - count + 1)) : Math.log((units - count) / (count + 1));
  }
  return Math.max(0, least - ROUNDING);
}

/** The vote's own label and how far it is certain, from the votes that it counts. `units`: of the text, or of both texts of a pair. */
export function certificateOf(counts: Int32Array, units: number, options: DeletionOptions): EditCertificate {
  const { samples, alpha } = options;
  const label = predictedLabel(counts);
  if (label === NO_LABEL) return { label, radii: undefined };
  // Any label may be the one that leads by chance: each has its part of alpha.
  const share = binomialQuantile(counts[label]!, samples, alpha / counts.length);
  // A label with more than half of the versions wins. The required number of samples gives that majority, except with probability alpha.
  const needed = binomialQuantile(Math.floor(samples / 2) + 1, samples, 1 - alpha);
  if (share < needed) return { label, radii: undefined };
  const text = { units, rateOf: (length: number) => deletionRate(length, options) };
  const radius = (editsOf: (count: number) => Partial<EditCounts>[]): number => {
    let count = 0;
    while (editsOf(count + 1).every((edits) => leastShare(share, text, edits) >= needed)) count++;
    return count;
  };
  return {
    label,
    radii: {
      edits: radius(allEdits),
      insertions: radius((insertions) => [{ insertions }]),
      deletions: radius((deletions) => [{ deletions }]),
    },
  };
}

/** Every combination of `count` edits. */
const allEdits = (count: number): EditCounts[] =>
  Array.from({ length: count + 1 }, (_, substitutions) =>
    Array.from({ length: count - substitutions + 1 }, (_, deletions) => ({
      substitutions,
      deletions,
      insertions: count - substitutions - deletions,
    })),
  ).flat();

export const certifyEdits = async (
  text: string,
  victim: Classifier,
  options: DeletionOptions,
): Promise<EditCertificate> => {
  const units = queryParts(text).flatMap((part) => unitsOf(part, options.unit)).length;
  return certificateOf(await deletionVotes(text, victim, options), units, options);
};
