import { z } from 'zod';
import { search } from '../core/component.js';
import type { Draft } from '../core/draft.js';
import type { Scored, SearchMethod, SearchSpace } from '../core/search.js';
import { outranks } from './space.js';

/**
 * Each round, tries all rewrites of the best `width` drafts of the previous round, until the goal is reached or nothing is left to edit;
 * width 1 is TextAttack's GreedySearch. The result is the best draft of all rounds (TextAttack returns the last round's). A draft with two
 * parents is queried once. The number of rounds is at most the number of words, so recipes that may edit a word again also end. Ties go to
 * the earlier candidate. `rounds` replaces that limit, for edits that only add words.
 */
export function beam(width = 1, rounds?: number): SearchMethod {
  if (!Number.isInteger(width) || width < 1) throw new RangeError(`beam(width): expected at least 1, got ${width}`);
  return {
    name: width === 1 ? 'greedy over all words' : `beam of ${width}`,
    async search(space) {
      let drafts: readonly Draft[] = [space.start.draft];
      for (let round = 0; round < (rounds ?? space.start.draft.size) && !space.done; round++) {
        const scored = await space.visit(await neighboursOf(space, drafts));
        if (scored.length === 0) return;
        drafts = best(scored, width).map(({ draft }) => draft);
      }
    },
  };
}

/** The first neighbour of each text. */
async function neighboursOf(space: SearchSpace, drafts: readonly Draft[]): Promise<Draft[]> {
  const found = new Map<string, Draft>();
  for (const draft of drafts) {
    for (const neighbour of await space.neighbours(draft))
      if (!found.has(neighbour.text)) found.set(neighbour.text, neighbour);
  }
  return [...found.values()];
}

const best = (scored: readonly Scored[], width: number): Scored[] =>
  [...scored].sort((a, b) => Number(outranks(b, a)) - Number(outranks(a, b))).slice(0, width);

export const beamSearch = search({
  name: 'beam',
  summary: 'Each round tries all rewrites of the best drafts so far; with width 1, greedy over all words.',
  main: 'width',
  options: { width: z.int().min(1).default(4).describe('drafts kept per round') },
  create: ({ width }) => beam(width),
});
