/** @file Swapping words for synonyms: for readers (of the meaning meant, inflected, never an opposite) or as PWWS does. */
import { z } from 'zod';
import { transformation } from '../core/component.js';
import { languagePart } from '../core/language.js';
import type { Transformation } from '../core/search.js';
import { withArticleAgreement } from './article-agreement.js';
import { CorpusStatistics } from './corpus-statistics.js';
import { rankByFit } from './synonym-fit.js';

/**
 * A word's synonyms where it stands (`Thesaurus.inContext`), the `limit` best, with the article before it in agreement. What is best the meaning
 * decides, and with `fitting` an n-gram model of the data set too, once it has learned them.
 */
export function swapSynonyms(limit = 20, fitting = false): Transformation {
  const texts = new CorpusStatistics();
  return {
    name: 'synonyms of the meaning meant, inflected, no opposites',
    ...(fitting && { prepare: (sample, victim) => texts.learn(sample, victim) }),
    language: ['synonyms'],
    *edits(draft, at, _, { language }) {
      const { inContext } = languagePart(language, 'synonyms');
      const known = texts.model;
      for (const slot of at) {
        const found = inContext(draft, slot);
        const ranked = known === undefined ? found : rankByFit(found, draft, slot, known);
        for (const { text } of ranked.slice(0, limit))
          yield withArticleAgreement(draft.replace(slot, text), slot, language);
      }
    },
  };
}

/** Every single-word lemma of every WordNet meaning of the word, uninflected. */
export const swapLemmas: Transformation = {
  name: 'WordNet lemmas of any meaning',
  language: ['synonyms'],
  *edits(draft, at, _, { language }) {
    const { lemmas } = languagePart(language, 'synonyms');
    for (const slot of at) for (const lemma of lemmas(draft.word(slot))) yield draft.replace(slot, lemma);
  },
};

export const synonymTransformations = [
  transformation({
    name: 'swap-synonyms',
    summary:
      'Swaps words for synonyms of the meaning meant, inflected, never an opposite: "great films" -> "great movies".',
    options: {
      candidates: z.int().min(1).default(20).describe('synonyms tried for each word'),
      fitting: z.boolean().default(true).describe('ranked by how well they fit among the texts of the data set too'),
    },
    create: ({ candidates, fitting }) => swapSynonyms(candidates, fitting),
  }),
  transformation({
    name: 'swap-lemmas',
    summary: 'Swaps words for all WordNet lemmas of any meaning, uninflected, as PWWS does: "charming" -> "sorcerous".',
    create: () => swapLemmas,
  }),
];
