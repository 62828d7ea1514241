import { z } from 'zod';
import { mapWords } from '../core/draft.js';
import { areOpposed } from '../language/english/antonyms.js';
import { matchCase } from '../language/english/inflection.js';
import { isStopWord } from '../language/english/stop-words.js';
import { classesOf } from '../language/english/tag-lexicon.js';
import { WordFrequency } from '../language/english/word-frequency.js';
import { wordnet } from '../language/english/wordnet.js';
import type { DefencePlugin } from './defence.js';

/** The single words of the meaning a base form has most often; none for inflected words, whose synonyms would need inflecting. */
function sameFirstMeaning(word: string): readonly string[] {
  const [first] = classesOf(word);
  if (first === undefined || first.base !== word) return [];
  return wordnet.synsets(word, first.wordClass)[0]?.words ?? [];
}

/** Synonyms become one word. */
export const canonicalSynonyms: DefencePlugin<Record<string, never>> = {
  name: 'canonical-synonyms',
  summary: 'Reads every word as its commonest synonym, so that swapping synonyms changes little: "cosy" as "cozy".',
  paper: {
    title: 'Wang, Jin, Yang, He: Natural Language Adversarial Defense through Synonym Encoding, UAI 2021',
    url: 'https://arxiv.org/abs/1909.06723',
  },
  options: z.strictObject({}),
  create: (_, { vocabulary, texts }) => {
    const frequency = new WordFrequency(vocabulary, texts);
    const known = new Map<string, string>();
    const codeFor = (word: string): string => {
      let best = word;
      for (const other of sameFirstMeaning(word)) {
        if (!/^[a-z]{2,}$/.test(other) || isStopWord(other) || areOpposed(word, other)) continue;
        if (frequency.of(other) > frequency.of(best)) best = other;
      }
      return best;
    };
    const codeOf = (word: string): string => {
      let code = known.get(word);
      if (code === undefined) {
        code = codeFor(word);
        known.set(word, code);
      }
      return code;
    };
    return {
      conditions:
        'every uninflected word read as the commonest of its first WordNet meaning, the model not retrained on it',
      rewrite: (text) =>
        mapWords(text, (word) => {
          const lower = word.toLowerCase();
          const code = /^[a-z]{3,}$/.test(lower) && !isStopWord(lower) ? codeOf(lower) : lower;
          return code === lower ? word : matchCase(code, word);
        }),
    };
  },
};
