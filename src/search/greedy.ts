import { z } from 'zod';
import { search } from '../core/component.js';
import type { Draft } from '../core/draft.js';
import type { SearchMethod, SearchSpace } from '../core/search.js';
import { byGradientInput, byWeightedSaliency, type Ranking, rankings } from './ranking.js';

/**
 * Visits the words in the order of the ranking, tries all rewrites of a word in the best draft so far, keeps the best one if it raises the
 * score, and stops at the first success (TextAttack's GreedyWordSwapWIR). Ties go to the earlier candidate. TextAttack considers only the
 * candidate with the highest score; here a candidate that reaches the goal precedes all others, which can differ with three or more labels.
 *
 * `inTurn`: the rewrites of a word are queried one at a time, and the first success ends the search. It succeeds on the same texts with at
 * most as many queries, but the successful rewrite need not have the highest score.
 */
export function greedy(ranking: Ranking, inTurn = false): SearchMethod {
  return {
    name: `greedy by ${ranking.name}${inTurn ? ', rewrites in turn' : ''}`,
    needs: ranking.needs,
    async search(space) {
      for (const slot of await ranking.order(space)) {
        if (space.done) return;
        const rewrites = await space.neighbours(space.best.draft, [slot]);
        await (inTurn ? visitInTurn(space, rewrites) : space.visit(rewrites));
      }
    },
  };
}

async function visitInTurn(space: SearchSpace, rewrites: readonly Draft[]): Promise<void> {
  for (const rewrite of rewrites) if (!space.done) await space.visit([rewrite]);
}

/** The option `in-turn` of an attack. */
export const inTurnOption = () =>
  z
    .boolean()
    .default(false)
    .describe(
      'query the rewrites of a word one at a time and stop at the first success: as many successes with fewer queries, but not the highest scores',
    );

const orders = { ...rankings, saliency: byWeightedSaliency(), 'gradient-input': byGradientInput } as const;

export const greedySearch = search({
  name: 'greedy',
  summary: 'Word by word in the order of importance, keeping the best rewrite of each.',
  main: 'ranking',
  options: {
    ranking: z
      .enum(['unk', 'delete', 'alone', 'saliency', 'gradient', 'gradient-input', 'random'])
      .default('unk')
      .describe(
        'order of the words: effect of replacement by the unknown token, or of deletion; prediction for the word alone; probability weighted word saliency; gradient, or gradient x input (1 query); random',
      ),
    inTurn: inTurnOption(),
  },
  create: ({ ranking, inTurn }) => greedy(orders[ranking], inTurn),
});
