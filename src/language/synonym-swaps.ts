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

const lemmaSwaps = (senses: 'all' | 'first'): Transformation => ({
  name: senses === 'all' ? 'WordNet lemmas of any meaning' : 'WordNet lemmas of the first meaning',
  language: ['synonyms'],
  *edits(draft, at, _, { language }) {
    const { lemmas, ofFirstMeaning } = languagePart(language, 'synonyms');
    for (const slot of at) {
      const word = draft.word(slot);
      const found =
        senses === 'all'
          ? lemmas(word)
          : ofFirstMeaning(word.toLowerCase()).filter((lemma) => lemma !== word && !/[ _]/.test(lemma));
      for (const lemma of found) yield draft.replace(slot, lemma);
    }
  },
});

/** Every single-word lemma of every meaning of the word, uninflected. */
export const swapLemmas: Transformation = lemmaSwaps('all');

/** Lemmas of a base form's most frequent meaning; none for inflected words. */
export const swapFirstLemmas: Transformation = lemmaSwaps('first');

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
    options: {
      senses: z.enum(['all', 'first']).default('all').describe('lemmas of all meanings, or of the most frequent'),
    },
    create: ({ senses }) => lemmaSwaps(senses),
  }),
];
