/** @file Swaps words for synonyms: for human readers (intended meaning, inflected, never an opposite) or as in PWWS. */
import { z } from 'zod';
import { transformation } from '../core/component.js';
import { languagePart } from '../core/language.js';
import type { Transformation } from '../core/search.js';
import { withArticleAgreement } from './article-agreement.js';
import { CorpusStatistics } from './corpus-statistics.js';
import { rankByFit } from './synonym-fit.js';

/**
 * The `limit` best synonyms of a word in its context (`Thesaurus.inContext`), with a matching article. They are ranked by meaning and, with
 * `fitting`, also by an n-gram model of the data set once it is trained.
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

/** Every single-word lemma of every meaning of the word, uninflected. */
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
      fitting: z.boolean().default(true).describe('also rank by fluency, with n-grams of the data set'),
    },
    create: ({ candidates, fitting }) => swapSynonyms(candidates, fitting),
  }),
  transformation({
    name: 'swap-lemmas',
    summary: 'Swaps words for all WordNet lemmas of any meaning, uninflected, as PWWS does: "charming" -> "sorcerous".',
    create: () => swapLemmas,
  }),
];
