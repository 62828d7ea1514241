/**
 * @file Randomised masking (Zeng et al. 2021, "Certified Robustness to Text Adversarial Attacks by Randomized [MASK]"): the
 * victim reads versions of the text of which most words are hidden, and the versions vote. Whoever changes d of L words can
 * only change the versions in which one of the d is seen: that bounds what the vote can become.
 */
import { z } from 'zod';
import type { Classifier } from '../core/classifier.js';
import { Draft } from '../core/draft.js';
import type { Random } from '../core/random.js';
import { binomialLower } from '../core/stats.js';
import type { DefencePlugin } from './defence.js';
import { shares, votesOf } from './votes.js';

const options = z.strictObject({
  rate: z.number().gt(0).lt(1).default(0.7).describe('share of the words hidden'),
  samples: z.int().min(1).default(100).describe('versions that vote'),
});

export type MaskingOptions = z.infer<typeof options>;

export const ranmask: DefencePlugin<MaskingOptions> = {
  name: 'ranmask',
  summary:
    'Hides most words at random and lets many such versions of a text vote; the vote can be certified (robust evaluate --certify).',
  paper: {
    title: 'Zeng, Xu, Zheng, Huang: Certified Robustness to Text Adversarial Attacks by Randomized [MASK], CL 2023',
    url: 'https://arxiv.org/abs/2105.03743',
  },
  options,
  create: (chosen, { mask }) => ({
    conditions: `vote of ${chosen.samples} versions with ${percent(chosen.rate)} of the words hidden`,
    vote: async (text, victim, random) =>
      shares(await votesOf(maskedVersions(text, chosen.rate, chosen.samples, mask, random), victim)),
  }),
};

const percent = (share: number): string => `${Number((share * 100).toPrecision(3))} %`;

/** Words of L left to see: at least one. */
export const seenOf = (words: number, rate: number): number => Math.max(1, words - Math.round(rate * words));

/** Versions of the text in each of which a random set of `seenOf` words is left, the others replaced by `mask`. */
export function maskedVersions(text: string, rate: number, count: number, mask: string, random: Random): string[] {
  const draft = Draft.of(text);
  if (draft.size === 0) return [text];
  const seen = seenOf(draft.size, rate);
  const slots = Array.from({ length: draft.size }, (_, slot) => slot);
  return Array.from({ length: count }, () => {
    const hidden = random.shuffle(slots).slice(seen);
    return draft.replaceAll(new Map(hidden.map((slot) => [slot, mask]))).text;
  });
}

/**
 * The share of versions in which at least one of d changed words of L is seen, k words being seen: 1 - C(L - d, k) / C(L, k)
 * (the paper's Delta, section 3.3, with its factor beta at the safe value 1).
 */
export function touched(words: number, seen: number, changed: number): number {
  let untouched = 1;
  for (let d = 0; d < changed; d++) untouched *= Math.max(0, words - d - seen) / (words - d);
  return 1 - untouched;
}

export interface Certificate {
  /** The label the vote gives, surely; undefined where the vote is too close to say. */
  readonly label: number | undefined;
  /** No change of so many words turns it; -1 without a label. */
  readonly radius: number;
  readonly words: number;
}

/** Versions by which the label to be certified is chosen, apart from those that certify it (Cohen et al. 2019, section 3.2.2). */
const CHOOSING = 100;

/**
 * The number of words that may be replaced by others, one for one, without turning the vote of all versions, wrong with
 * probability at most `alpha`. It speaks of the vote of all possible versions, of which `ranmask` asks a sample.
 */
export async function certify(
  text: string,
  victim: Classifier,
  { rate, samples }: MaskingOptions,
  { mask, alpha, random }: { readonly mask: string; readonly alpha: number; readonly random: Random },
): Promise<Certificate> {
  const { size: words } = Draft.of(text);
  if (words === 0) return { label: undefined, radius: -1, words };
  const choosing = await votesOf(maskedVersions(text, rate, CHOOSING, mask, random.split('choose')), victim);
  const label = choosing.indexOf(Math.max(...choosing));
  const votes = await votesOf(maskedVersions(text, rate, samples, mask, random.split('certify')), victim);
  const sure = binomialLower(votes[label] as number, samples, alpha);
  if (sure <= 0.5) return { label: undefined, radius: -1, words };
  let radius = 0;
  while (radius < words && sure - touched(words, seenOf(words, rate), radius + 1) > 0.5) radius++;
  return { label, radius, words };
}
