import { z } from 'zod';
import { search } from '../core/component.js';
import type { SearchMethod } from '../core/search.js';
import { byGradientInput, byWeightedSaliency, type Ranking, rankings } from './ranking.js';

/**
 * Word by word in the order of the ranking: try all rewrites of the word in the best draft so far, keep the best one if it
 * raises the score, stop at the first success (TextAttack's GreedyWordSwapWIR). Ties go to the earlier candidate. Where
 * TextAttack looks only at the candidate with the highest score, a candidate that reaches the goal wins over all that do
 * not: with three or more labels the two can differ.
 */
export function greedy(ranking: Ranking): SearchMethod {
  return {
    name: `greedy by ${ranking.name}`,
    ...(ranking.needs && { needs: ranking.needs }),
    async search(space) {
      for (const slot of await ranking.order(space)) {
        if (space.done) return;
        await space.visit(await space.neighbours(space.best.draft, [slot]));
      }
    },
  };
}

const orders = {
  ...rankings,
  saliency: byWeightedSaliency(),
  'gradient-input': byGradientInput,
} as const;

export const greedySearch = search({
  name: 'greedy',
  summary: 'Word by word in the order of importance, keeping the best rewrite of each.',
  main: 'ranking',
  options: {
    ranking: z
      .enum(['unk', 'delete', 'alone', 'saliency', 'gradient', 'gradient-input', 'random'])
      .default('unk')
      .describe(
        'which words first: replacement by the unknown token, or deletion, hurts most; which alone speaks most clearly for the label; probability weighted word saliency; by the gradient, or gradient x input (1 query); any',
      ),
  },
  create: ({ ranking }) => greedy(orders[ranking]),
});
