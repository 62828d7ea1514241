import { z } from 'zod';
import { search } from '../core/component.js';
import type { Draft } from '../core/draft.js';
import type { Scored, SearchMethod } from '../core/search.js';
import { outranks } from './space.js';

/**
 * All rewrites of the best `width` drafts of the round before, each round, until the goal is reached or nothing is left
 * to edit; width 1 is TextAttack's GreedySearch. The result is the best draft of all rounds (TextAttack returns the last
 * round's), a draft two parents share is asked once, and rounds end at the number of words, so that a recipe that
 * may edit a word again still ends. Ties go to the earlier candidate.
 */
export function beam(width = 1): SearchMethod {
  if (!Number.isInteger(width) || width < 1) throw new RangeError(`beam(width): expected at least 1, got ${width}`);
  return {
    name: width === 1 ? 'greedy over all words' : `beam of ${width}`,
    async search(space) {
      let drafts: readonly Draft[] = [space.start.draft];
      for (let round = 0; round < space.start.draft.size && !space.done; round++) {
        const next = new Map<string, Draft>();
        for (const draft of drafts) {
          for (const candidate of await space.neighbours(draft)) {
            if (!next.has(candidate.text)) next.set(candidate.text, candidate);
          }
        }
        const scored = await space.visit([...next.values()]);
        if (scored.length === 0) return;
        drafts = best(scored, width).map(({ draft }) => draft);
      }
    },
  };
}

const best = (scored: readonly Scored[], width: number): Scored[] =>
  [...scored].sort((a, b) => Number(outranks(b, a)) - Number(outranks(a, b))).slice(0, width);

export const beamSearch = search({
  name: 'beam',
  summary: 'All rewrites of the best drafts of the round before, each round; of width 1 greedy over all words.',
  main: 'width',
  options: { width: z.int().min(1).default(4).describe('drafts kept from round to round') },
  create: ({ width }) => beam(width),
});
