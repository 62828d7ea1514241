/**
 * @file Randomised masking (Zeng et al. 2021, "Certified Robustness to Text Adversarial Attacks by Randomized [MASK]"): the victim reads
 * versions of the text in which most words are hidden, and the versions vote.
 *
 * Differences: the paper draws masks for each text, so its certificate is about the vote of all possible versions and has limited
 * confidence. Here the masks are part of the defence and depend only on the number of words: the vote is a fixed function of the text, and
 * the certificate in `certificate.ts` is certain. The masks are also distributed evenly, which certifies more texts at one word.
 */
import { z } from 'zod';
import type { DefencePlugin } from '../core/defence.js';
import { Draft } from '../core/draft.js';
import { random } from '../core/random.js';
import { countVotes, voteShares, votes } from './votes.js';

const options = z.strictObject({
  rate: z.number().gt(0).lt(1).default(0.8).describe('share of the words hidden'),
  samples: z.int().min(1).default(100).describe('versions that vote'),
  seed: z.int().default(42).describe('of the masks; the seed of an attack does not move them'),
});

export type MaskingOptions = z.infer<typeof options>;

export const ranmask: DefencePlugin<MaskingOptions> = {
  kind: 'defence',
  name: 'ranmask',
  summary:
    'Hides most words and lets many such versions of a text vote; the vote can be certified (robust evaluate --certify).',
  paper: {
    title: 'Zeng, Xu, Zheng, Huang: Certified Robustness to Text Adversarial Attacks by Randomized [MASK], CL 2023',
    url: 'https://arxiv.org/abs/2105.03743',
  },
  options,
  create: (chosen, { mask }) => ({
    conditions: `vote of ${chosen.samples} versions with ${percent(chosen.rate)} of the words hidden`,
    vote: async (text, victim) => {
      const given = await votes(maskedVersions(text, chosen, mask), victim);
      return voteShares(countVotes(given, victim.labels.length), given.length);
    },
  }),
};

const percent = (share: number): string => `${Number((share * 100).toPrecision(3))} %`;

/** Words of L left to see: at least one. */
export const seenOf = (words: number, rate: number): number => Math.max(1, words - Math.round(rate * words));

/**
 * The slots that each version shows, `seenOf` of them; one empty version for a text without words. They are dealt like cards from shuffled
 * decks, one deck after the other. The counts of versions that show a slot differ by at most one, so every word is equally valuable to an
 * attacker.
 */
export function shownSlots(words: number, { rate, samples, seed }: MaskingOptions): number[][] {
  if (words === 0) return [[]];
  const draw = random(seed, 'ranmask', String(words));
  const slots = Array.from({ length: words }, (_, slot) => slot);
  const seen = seenOf(words, rate);
  let deck: number[] = [];
  return Array.from({ length: samples }, () => {
    const hand = deck.splice(0, seen);
    if (hand.length === seen) return hand;
    // The deck ran out within a hand. What the hand holds already stays in the next deck.
    const next = draw.shuffle(slots);
    const held = new Set(hand);
    const more = new Set(next.filter((slot) => !held.has(slot)).slice(0, seen - hand.length));
    deck = next.filter((slot) => !more.has(slot));
    return [...hand, ...more];
  });
}

/** The versions that vote: all words but the shown ones replaced by `mask`, what stands between words as it was. */
export function maskedVersions(text: string, options: MaskingOptions, mask: string): string[] {
  const draft = Draft.of(text);
  return shownSlots(draft.size, options).map((shown) => {
    const hidden = new Map(Array.from({ length: draft.size }, (_, slot) => [slot, mask]));
    for (const slot of shown) hidden.delete(slot);
    return draft.replaceAll(hidden).text;
  });
}
