import { z } from 'zod';
import { search } from '../core/component.js';
import type { Draft } from '../core/draft.js';
import type { Scored, SearchMethod, SearchSpace } from '../core/search.js';

/** Changes random words one after the other until the goal is reached; undefined if it never is. */
async function crossing(space: SearchSpace): Promise<Scored | undefined> {
  let { draft } = space.start;
  for (const slot of space.random.shuffle(space.editable(draft))) {
    const rewrites = await space.legal(await space.neighbours(draft, [slot]));
    if (rewrites.length === 0) continue;
    const [scored] = await space.visit([space.random.pick(rewrites)]);
    if (scored === undefined) return undefined;
    if (scored.reached) return scored;
    draft = scored.draft;
  }
  return undefined;
}

/** The draft with slot `at` restored, together with the article that agrees with it. */
function restore(draft: Draft, at: number): Draft {
  const words = new Map([[at, draft.originalWord(at)]]);
  if (at > 0 && /^an?$/i.test(draft.word(at - 1))) words.set(at - 1, draft.originalWord(at - 1));
  return draft.replaceAll(words);
}

/** Restores changed words as long as the goal stays reached, until no word can be. */
async function walkBack(space: SearchSpace, crossed: Scored): Promise<Scored> {
  let found = crossed;
  for (let before: Scored | undefined; before !== found; ) {
    before = found;
    for (const slot of space.random.shuffle([...found.draft.edited].sort((a, b) => a - b))) {
      const back: Draft = restore(found.draft, slot);
      if (back.text === found.draft.text || back.text === space.start.draft.text) continue;
      const [scored] = await space.visit([back]);
      if (scored?.reached) found = scored;
    }
  }
  return found;
}

/**
 * For victims that return only labels: crosses the decision boundary, then walks back along it towards the text. In each of `tries`
 * attempts, random words change until the label flips. Then each changed word is restored as long as the label stays flipped, repeatedly
 * until no word can be (Maheshwary et al. 2021, sections 3.1 and 3.2). The attempt with the fewest changed words wins.
 */
export function boundary(tries = 5): SearchMethod {
  return {
    name: `along the boundary, ${tries} crossings`,
    needs: 'labels',
    async search(space) {
      let best: Scored | undefined;
      for (let attempt = 0; attempt < tries; attempt++) {
        const crossed = await crossing(space);
        if (crossed === undefined) continue;
        const found = await walkBack(space, crossed);
        if (best === undefined || found.draft.changed < best.draft.changed) best = found;
      }
      if (best !== undefined) space.settle(best);
    },
  };
}

export const boundarySearch = search({
  name: 'decision-boundary',
  summary:
    'By labels alone: changes random words until the label flips, then restores words as long as it stays flipped.',
  paper: {
    title: 'Generating Natural Language Attacks in a Hard Label Black Box Setting',
    url: 'https://arxiv.org/abs/2012.14956',
  },
  main: 'crossings',
  options: {
    crossings: z
      .int()
      .min(1)
      .default(5)
      .describe('random crossings of the boundary; the one with the fewest changed words wins'),
  },
  create: ({ crossings }) => boundary(crossings),
});
