/**
 * @file Randomised deletion (Huang et al. 2023, RS-Del, sections 3 and 4; for texts Huang et al. 2024, CERT-ED). The victim reads versions
 * of the text that drop each word, or each character, at random, and the versions vote.
 *
 * Where we differ: the papers certify the vote of all possible versions. Here the vote that is deployed is the vote that is certified: its
 * versions are a function of the text and of `seed`, and `deletion-certificate.ts` counts the chance of its sample, too.
 */
import { z } from 'zod';
import type { Classifier } from '../core/classifier.js';
import type { DefencePlugin } from '../core/defence.js';
import { PAIR_SEPARATOR, queryParts } from '../core/pair.js';
import { random } from '../core/random.js';
import { countVotes, voteShares, votes } from './votes.js';

const options = z.strictObject({
  unit: z.enum(['word', 'character']).default('word').describe('unit of deletion'),
  rate: z.number().gt(0).lt(1).default(0.8).describe('how probably each is left out'),
  samples: z.int().min(1).default(100).describe('versions that vote'),
  alpha: z
    .number()
    .gt(0)
    .lt(0.5)
    .default(0.001)
    .describe('how probably a certificate may err, and the vote within its radius'),
  seed: z.int().default(42).describe('seed of the deletions, independent of the seed of an attack'),
});

export type DeletionOptions = z.infer<typeof options>;

export const rsDel: DefencePlugin<DeletionOptions> = {
  kind: 'defence',
  name: 'rs-del',
  summary:
    'Leaves most words or characters out by chance and lets many versions of a text vote: certified by edit distance (robust evaluate --certify).',
  paper: {
    title:
      'Huang et al.: RS-Del, Edit Distance Robustness Certificates for Sequence Classifiers via Randomized Deletion, NeurIPS 2023',
    url: 'https://arxiv.org/abs/2302.01757',
  },
  options,
  create: (chosen) => ({
    conditions: `vote of ${chosen.samples} versions, each ${chosen.unit} left out with probability ${chosen.rate}`,
    vote: async (text, victim) => voteShares(await deletionVotes(text, victim, chosen), chosen.samples),
  }),
};

/** How many versions each label gets. */
export const deletionVotes = async (text: string, victim: Classifier, options: DeletionOptions): Promise<Int32Array> =>
  countVotes(await votes(deletedVersions(text, options), victim), victim.labels.length);

/** Units of edits: words between white space, which does not count, or Unicode characters. */
export const unitsOf = (text: string, unit: DeletionOptions['unit']): readonly string[] =>
  unit === 'character' ? [...text] : text.split(/\s+/u).filter((word) => word !== '');

/** The versions that vote: the remaining units, words separated by one space. Both texts of a pair lose units. */
export function deletedVersions(query: string, options: DeletionOptions): string[] {
  const { unit, samples, seed, rate } = options;
  const draw = random(seed, 'rs-del', query);
  const parts = queryParts(query).map((text) => unitsOf(text, unit));
  const between = unit === 'word' ? ' ' : '';
  return Array.from({ length: samples }, () =>
    parts.map((units) => units.filter(() => draw.unit() >= rate).join(between)).join(PAIR_SEPARATOR),
  );
}
