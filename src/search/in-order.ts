/** @file Tries rewrites one after the other: the search of attacks on whole texts. */
import { search } from '../core/component.js';
import { Draft } from '../core/draft.js';
import type { LanguagePart } from '../core/language.js';
import type { Random } from '../core/random.js';
import type { SearchMethod, SearchSpace, Transformation } from '../core/search.js';

/** Queries each rewrite of the text once, in order, until one reaches the goal. */
export const inOrder: SearchMethod = {
  name: 'each rewrite once',
  needs: 'labels',
  async search(space) {
    for (const draft of await space.neighbours(space.start.draft)) {
      if (space.done) return;
      await space.visit([draft]);
    }
  },
};

export const inOrderSearch = search({
  name: 'in-order',
  summary: 'Each rewrite of the text once, until one flips the prediction; the only search for edits of whole texts.',
  create: () => inOrder,
});

/** What rewrites may depend on besides the text. */
export type TextContext = Pick<SearchSpace, 'label' | 'labels' | 'language' | 'goal'>;

/** Edits of the text as a whole. `rewrites` may yield the text itself or duplicates, which are skipped. */
export const rewriteText = (
  name: string,
  bounds: readonly string[],
  rewrites: (text: string, random: Random, context: TextContext) => Iterable<string>,
  language: readonly LanguagePart[] = [],
): Transformation => ({
  name,
  bounds,
  language,
  whole: true,
  *edits(draft, _, random, space) {
    for (const text of rewrites(draft.text, random, space)) yield Draft.of(text);
  },
});
