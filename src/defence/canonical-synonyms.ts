import { z } from 'zod';
import type { DefencePlugin } from '../core/defence.js';
import { mapWords } from '../core/draft.js';
import { getOrCompute } from '../core/get-or-compute.js';
import { languagePart } from '../core/language.js';
import { matchCase } from '../language/match-case.js';

/** Synonyms become one word. */
export const canonicalSynonyms: DefencePlugin<Record<string, never>> = {
  kind: 'defence',
  name: 'canonical-synonyms',
  summary: 'Reads every word as its commonest synonym, so that swapping synonyms changes little: "cosy" as "cozy".',
  paper: {
    title: 'Wang, Jin, Yang, He: Natural Language Adversarial Defense through Synonym Encoding, UAI 2021',
    url: 'https://arxiv.org/abs/1909.06723',
  },
  options: z.strictObject({}),
  language: ['dictionary', 'synonyms', 'antonyms', 'stopWords'],
  create: (_, { vocabulary, texts, language }) => {
    const [synonyms, { areOpposed }] = [languagePart(language, 'synonyms'), languagePart(language, 'antonyms')];
    const stopWords = languagePart(language, 'stopWords');
    const frequency = languagePart(language, 'dictionary').frequency(vocabulary, texts);
    const known = new Map<string, string>();
    const codeFor = (word: string): string => {
      let best = word;
      for (const other of synonyms.ofFirstMeaning(word)) {
        if (!/^[a-z]{2,}$/.test(other) || stopWords.has(other) || areOpposed(word, other)) continue;
        if (frequency.of(other) > frequency.of(best)) best = other;
      }
      return best;
    };
    const codeOf = (word: string): string => getOrCompute(known, word, codeFor);
    return {
      conditions:
        'every uninflected word read as the commonest of its first WordNet meaning, the model not retrained on it',
      rewrite: (text) =>
        mapWords(text, (word) => {
          const lower = word.toLowerCase();
          const code = /^[a-z]{3,}$/.test(lower) && !stopWords.has(lower) ? codeOf(lower) : lower;
          return code === lower ? word : matchCase(code, word);
        }),
    };
  },
};
