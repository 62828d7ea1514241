/** @file Swaps words for their nearest neighbours in a file of word vectors. */
import { z } from 'zod';
import { transformation } from '../core/component.js';
import type { Transformation } from '../core/search.js';
import { withArticleAgreement } from './article-agreement.js';
import { matchCase } from './match-case.js';
import { type VectorFile, vectorsNeeded, vectorsOption } from './vector-file.js';

/** The `limit` nearest words with a cosine of at least `least`, nearest first, with the word's capitals and a matching article. */
export function swapNeighbours(file: VectorFile, limit: number, least: number): Transformation {
  return {
    name: `the ${limit} nearest words of a cosine of at least ${least}`,
    prepare: () => file.load(),
    *edits(draft, at, _, { language }) {
      const { vectors } = file;
      if (vectors === undefined) return;
      for (const slot of at) {
        const word = draft.word(slot);
        for (const near of vectors.nearest(word, limit)) {
          if (near.similarity < least) break;
          yield withArticleAgreement(draft.replace(slot, matchCase(near.word, word)), slot, language);
        }
      }
    },
  };
}

export const swapNearest = transformation({
  name: 'swap-neighbours',
  summary: 'Swaps words for the nearest by word vectors, from your file: "risky" -> "dangerous".',
  options: {
    candidates: z.int().min(1).default(50).describe('words tried for each word'),
    cosine: z.number().min(0).max(1).default(0.5).describe('minimum similarity of two words'),
    vectors: vectorsOption('needed'),
  },
  create: ({ candidates, cosine, vectors }) =>
    swapNeighbours(vectorsNeeded('swap-neighbours', vectors), candidates, cosine),
});
