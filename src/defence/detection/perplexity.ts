import type { Detector } from '../../core/detector.js';
import { languagePart } from '../../core/language.js';
import { NgramModel } from '../../language/ngram-model.js';

/** Bits per letter to spell an unlisted word: one of 26 letters or the end. */
const LETTER = Math.log2(27);

/**
 * Adversarial edits make texts improbable. An n-gram model treats all unknown words alike, so misspelt ones are spelled letter by letter.
 */
export const perplexity: Detector = {
  kind: 'detector',
  name: 'perplexity',
  summary:
    'An unlikely text: its mean surprisal to an n-gram model of the clean texts, in bits a token, words that nothing lists letter by letter.',
  language: ['dictionary'],
  create: async ({ clean, vocabulary, language }) => {
    const model = new NgramModel(clean, language);
    const frequency = languagePart(language, 'dictionary').frequency(vocabulary, clean);
    const spellingCost = (token: string): number => {
      const lower = token.toLowerCase();
      const listed = model.knows(lower) || !/\p{L}/u.test(token) || frequency.of(lower) > 0;
      return listed ? 0 : LETTER * (token.length + 1);
    };
    return async (texts) =>
      Float64Array.from(texts, (text) => {
        const { tokens, bits } = model.surprisals(text);
        const all =
          bits.reduce((sum, own) => sum + own, 0) + tokens.reduce((sum, token) => sum + spellingCost(token), 0);
        return all / bits.length;
      });
  },
};
