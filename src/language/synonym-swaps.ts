/** @file Swapping words for synonyms: for readers (of the meaning meant, inflected, never an opposite) or as PWWS does. */
import type { Transformation } from '../core/search.js';
import { agreeArticle } from './english/articles.js';
import { synonymsAt } from './english/synonyms.js';
import { wordnetLemmas } from './english/wordnet-lemmas.js';
import type { NgramModel } from './ngram-model.js';
import { rankByFit } from './synonym-fit.js';

/**
 * A word's synonyms where it stands (`synonymsAt`), the `limit` best, with the article before it in agreement. `model` may
 * come to know the texts at hand only after the attack is made; until then the meaning alone decides what is best.
 */
export function swapSynonyms(limit = 20, model: () => NgramModel | undefined = () => undefined): Transformation {
  return {
    name: 'synonyms of the meaning meant, inflected, no opposites',
    *edits(draft, at) {
      const known = model();
      for (const slot of at) {
        const found = synonymsAt(draft, slot);
        const ranked = known === undefined ? found : rankByFit(found, draft, slot, known);
        for (const { text } of ranked.slice(0, limit)) yield agreeArticle(draft.replace(slot, text), slot);
      }
    },
  };
}

/** Every single-word lemma of every WordNet meaning of the word, uninflected. */
export const swapLemmas: Transformation = {
  name: 'WordNet lemmas of any meaning',
  *edits(draft, at) {
    for (const slot of at) for (const lemma of wordnetLemmas(draft.word(slot))) yield draft.replace(slot, lemma);
  },
};
