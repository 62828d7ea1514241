/**
 * @file Certifies how many words may be replaced before a vote over masked versions can change. A version that shows none of the replaced
 * words is unchanged and votes as before. Nothing is assumed about the other versions. The result is therefore certain, whatever the
 * replacements and even if the masks are known.
 */
import type { Classifier } from '../core/classifier.js';
import { Draft } from '../core/draft.js';
import { must } from '../core/errors.js';
import { NO_LABEL, predictedLabel } from '../core/prediction.js';
import { type MaskingOptions, maskedVersions, shownSlots } from './random-masking.js';
import { countVotes, votes } from './votes.js';

export interface Certificate {
  /** Label of the vote; NO_LABEL if labels tie, which certifies nothing. */
  readonly label: number;
  /**
   * The vote has this label for every text in which at most this number of words differ, one for one, with the same characters between
   * them.
   */
  readonly radius: number;
  readonly words: number;
}

/** Certifies the vote of `ranmask` with these options on `victim`; `mask` stands for a hidden word. */
export async function certify(
  text: string,
  victim: Classifier,
  options: MaskingOptions,
  mask: string,
): Promise<Certificate> {
  const words = Draft.of(text).size;
  const given = await votes(maskedVersions(text, options, mask), victim);
  const counts = countVotes(given, victim.labels.length);
  const label = predictedLabel(counts);
  if (label === NO_LABEL) return { label, radius: 0, words };
  const versionsOf = Array.from({ length: words }, (): number[] => []);
  shownSlots(words, options).forEach((shown, version) => {
    for (const slot of shown) versionsOf[slot]?.push(version);
  });
  const rivals = victim.labels.flatMap((_, rival) => {
    if (rival === label) return [];
    // The rival gains most where every version that can change votes for it: a vote of the label's own moves the two by 2.
    const gains = given.map((vote) => (vote === label ? 2 : vote === rival ? 0 : 1));
    // A rival that draws level makes the vote a tie, which is no longer for the label.
    const needed = must(counts[label]) - must(counts[rival]);
    return [{ gains, needed }];
  });
  let radius = 0;
  while (radius < words && !rivals.some(({ gains, needed }) => mayTurn(versionsOf, gains, radius + 1, needed)))
    radius++;
  return { label, radius, words };
}

/**
 * Whether the versions that show one of some `changed` slots may be worth `needed` together. "No" is certain; "yes" may be
 * wrong from three slots on, where the exact answer is a maximum coverage problem (NP-hard).
 *
 * Let f(D) be the worth of the versions that show a slot of D. The gain of a slot on D is at most its gain on a part of D. So for every j
 * in D, f(D) <= f({j}) + the sum of the other slots' gains on {j}. That sum is at most the |D| - 1 largest gains of any slots on {j}. For
 * two slots, the largest over j is exact.
 */
function mayTurn(
  versionsOf: readonly (readonly number[])[],
  worth: readonly number[],
  changed: number,
  needed: number,
): boolean {
  const alone = gainsOf(versionsOf, worth);
  const most = largest(alone, changed - 1);
  return versionsOf.some((versions, slot) => {
    const own = must(alone[slot]);
    // A slot adds to another at most its individual weight.
    if (own + most < needed) return false;
    const rest = [...worth];
    for (const version of versions) rest[version] = 0;
    return own + largest(gainsOf(versionsOf, rest), changed - 1) >= needed;
  });
}

/** Total weight of the versions that show each slot. */
const gainsOf = (versionsOf: readonly (readonly number[])[], worth: readonly number[]): number[] =>
  versionsOf.map((versions) => versions.reduce((sum, version) => sum + must(worth[version]), 0));

/** Sum of the `count` largest values. */
const largest = (numbers: readonly number[], count: number): number =>
  numbers
    .toSorted((a, b) => b - a)
    .slice(0, count)
    .reduce((sum, n) => sum + n, 0);
