/**
 * @file How far a text may be edited before a vote over versions with deletions may turn (Huang et al. 2023, RS-Del, Theorem 7). Let a text be
 * given the label by a share q of all its versions, and let another one be made of it by s substitutions, d deletions and i insertions. What
 * both have in common is read alone with probability rate^(s + d) of the first and rate^(s + i) of the second, and is the same text then. So
 * of the second one's versions at least rate^(i - d) (q - 1 + rate^(s + d)) give the label.
 */
import type { Classifier } from '../core/classifier.js';
import { NO_LABEL, predictedLabel } from '../core/prediction.js';
import { binomialQuantile } from '../core/stats.js';
import { type DeletionOptions, deletionVotes } from './random-deletion.js';

/** Edits that a text may take, of one kind or of several. */
export interface EditRadii {
  /** Edits of all kinds: Levenshtein's distance. As many as substitutions alone, which are the worst of each number. */
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

/** Least share of the versions of an edited text, where a share of at least `share` gives the label to the text. */
export const leastShare = (
  share: number,
  rate: number,
  {
    substitutions = 0,
    deletions = 0,
    insertions = 0,
  }: Readonly<Record<'substitutions' | 'deletions' | 'insertions', number>> | Record<string, number>,
): number => Math.max(0, rate ** (insertions - deletions) * (share - 1 + rate ** (substitutions + deletions)));

/** The vote's own label and how far it is certain, from the votes that it counts. */
export function certificateOf(counts: Int32Array, { rate, samples, alpha }: DeletionOptions): EditCertificate {
  const label = predictedLabel(counts);
  if (label === NO_LABEL) return { label, radii: undefined };
  // Any label may be the one that leads by chance: each has its part of alpha.
  const share = binomialQuantile(counts[label]!, samples, alpha / counts.length);
  // A label with more than half of the versions wins. The required number of samples gives that majority, except with probability alpha.
  const needed = binomialQuantile(Math.floor(samples / 2) + 1, samples, 1 - alpha);
  if (share < needed) return { label, radii: undefined };
  const radius = (kind: string): number => {
    let count = 0;
    while (leastShare(share, rate, { [kind]: count + 1 }) >= needed) count++;
    return count;
  };
  const [edits, insertions, deletions] = ['substitutions', 'insertions', 'deletions'].map(radius) as [
    number,
    number,
    number,
  ];
  return { label, radii: { edits, insertions, deletions } };
}

export const certifyEdits = async (
  text: string,
  victim: Classifier,
  options: DeletionOptions,
): Promise<EditCertificate> => certificateOf(await deletionVotes(text, victim, options), options);
