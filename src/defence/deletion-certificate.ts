/**
 * @file How far a text may be edited before a vote over versions with deletions may turn (Huang et al. 2023, RS-Del, Theorem 7). A share q of
 * all versions of a text gives the label. s substitutions, d deletions and i insertions make another text of it. Only what both have in
 * common is read with probability rate^(s + d) of the first and rate^(s + i) of the second. At least a share (q - 1 + rate^(s + d)) /
 * rate^(s + d) of these versions of the first text gives the label, and the second text has the same versions.
 */
import type { Classifier } from '../core/classifier.js';
import { NO_LABEL, predictedLabel } from '../core/prediction.js';
import { binomialQuantile } from '../core/statistics/stats.js';
import { type DeletionOptions, deletionVotes } from './random-deletion.js';

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

type EditCounts = Readonly<Record<'substitutions' | 'deletions' | 'insertions', number>>;

/** Least share of the versions of an edited text that give the label, where a share of at least `share` gives it to the text. */
export function leastShare(
  share: number,
  rate: number,
  { substitutions = 0, deletions = 0, insertions = 0 }: Partial<EditCounts>,
): number {
  const alone = rate ** (substitutions + deletions);
  return rate ** (substitutions + insertions) * Math.max(0, (share - 1 + alone) / alone);
}

/** The vote's own label and how far it is certain, from the votes that it counts. */
export function certificateOf(counts: Int32Array, { samples, alpha, rate }: DeletionOptions): EditCertificate {
  const label = predictedLabel(counts);
  if (label === NO_LABEL) return { label, radii: undefined };
  // Any label may be the one that leads by chance: each has its part of alpha.
  const share = binomialQuantile(counts[label]!, samples, alpha / counts.length);
  // A label with more than half of the versions wins. The required number of samples gives that majority, except with probability alpha.
  const needed = binomialQuantile(Math.floor(samples / 2) + 1, samples, 1 - alpha);
  if (share < needed) return { label, radii: undefined };
  const radius = (editsOf: (count: number) => Partial<EditCounts>): number => {
    let count = 0;
    while (leastShare(share, rate, editsOf(count + 1)) >= needed) count++;
    return count;
  };
  return {
    label,
    radii: {
      // Of all edits of one number, substitutions leave the least.
      edits: radius((substitutions) => ({ substitutions })),
      insertions: radius((insertions) => ({ insertions })),
      deletions: radius((deletions) => ({ deletions })),
    },
  };
}

export const certifyEdits = async (
  text: string,
  victim: Classifier,
  options: DeletionOptions,
): Promise<EditCertificate> => certificateOf(await deletionVotes(text, victim, options), options);
