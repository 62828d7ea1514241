import { z } from 'zod';
import { search } from '../core/component.js';
import type { Draft } from '../core/draft.js';
import type { SearchMethod, SearchSpace } from '../core/search.js';

/** Replaces a random number of words, the first of these slots that can be, by random legal rewrites. */
async function rewrite(space: SearchSpace, slots: readonly number[]): Promise<Draft> {
  let { draft } = space.start;
  let left = 1 + space.random.int(slots.length);
  for (const slot of slots) {
    if (left === 0) break;
    const rewrites = await space.legal(await space.neighbours(draft, [slot]));
    if (rewrites.length === 0) continue;
    draft = space.random.pick(rewrites);
    left--;
  }
  return draft;
}

/**
 * Tries `tries` random rewrites: a random number of words, each replaced by a random legal rewrite. A control for searches that use scores.
 * Only complete rewrites are queried, not their intermediate steps.
 */
export function randomSearch(tries = 100): SearchMethod {
  return {
    name: `${tries} random rewrites`,
    needs: 'labels',
    async search(space) {
      const { random, start } = space;
      for (let attempt = 0; attempt < tries && !space.done; attempt++) {
        const slots = random.shuffle(space.editable(start.draft));
        if (slots.length === 0) return;
        const draft = await rewrite(space, slots);
        if (draft !== start.draft) await space.visit([draft]);
      }
    },
  };
}

export const blindSearch = search({
  name: 'random',
  summary: 'Random rewrites: a control for searches that use scores.',
  main: 'tries',
  options: { tries: z.int().min(1).default(100).describe('rewrites drawn') },
  create: ({ tries }) => randomSearch(tries),
});
