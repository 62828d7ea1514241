import { z } from 'zod';
import { search } from '../core/component.js';
import type { SearchMethod } from '../core/search.js';
import { byGradientInput, byWeightedSaliency, type Ranking, rankings } from './ranking.js';

/**
 * Word by word in the order of the ranking: try all rewrites of the word in the best draft so far, keep the best one if it
 * raises the score, stop at the first success (TextAttack's GreedyWordSwapWIR). Ties go to the earlier candidate. Where
 * TextAttack looks only at the candidate with the highest score, a candidate that reaches the goal wins over all that do
 * not: with three or more labels the two can differ.
 *
 * `inTurn`: the rewrites of a word are asked one after the other and the first success ends the search. It succeeds where the search that
 * asks them together does, at no more questions; the rewrite that it succeeds with need not be the one of the highest score.
 */
export function greedy(ranking: Ranking, inTurn = false): SearchMethod {
  return {
    name: `greedy by ${ranking.name}${inTurn ? ', rewrites in turn' : ''}`,
    ...(ranking.needs && { needs: ranking.needs }),
    async search(space) {
      for (const slot of await ranking.order(space)) {
        if (space.done) return;
        const rewrites = await space.neighbours(space.best.draft, [slot]);
        if (!inTurn) await space.visit(rewrites);
        else for (const rewrite of rewrites) if (!space.done) await space.visit([rewrite]);
      }
    },
  };
}

/** The option `in-turn` of an attack. */
export const inTurnOption = () =>
  z
    .boolean()
    .default(false)
    .describe(
      'ask the rewrites of a word one after the other and stop at the first success: as many successes for fewer questions, not the highest scores',
    );

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
    inTurn: inTurnOption(),
  },
  create: ({ ranking, inTurn }) => greedy(orders[ranking], inTurn),
});
