import type { SearchMethod } from '../core/search.js';
import type { Ranking } from './ranking.js';

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
