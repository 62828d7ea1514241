import { z } from 'zod';
import type { DefencePlugin } from '../core/defence.js';
import { languagePart } from '../core/language.js';
import { NgramModel } from '../language/ngram-model.js';
import { normaliseUnicode, withoutAccents } from '../language/unicode-normalisation.js';

/** Slips are mended before the victim reads the text. */
export const spelling: DefencePlugin<Record<string, never>> = {
  kind: 'defence',
  name: 'spelling',
  summary:
    'Mends slips of the pen: "an idiit !" is read as "an idiot !", "go od" as "good", with Cyrillic letters as Latin.',
  paper: {
    title: 'Pruthi, Dhingra, Lipton: Combating Adversarial Misspellings with Robust Word Recognition, ACL 2019',
    url: 'https://arxiv.org/abs/1905.11268',
  },
  options: z.strictObject({}),
  language: ['dictionary', 'spelling'],
  create: (_, { vocabulary, texts, language }) => {
    const context = texts.length > 0 ? new NgramModel(texts, language) : undefined;
    const frequency = languagePart(language, 'dictionary').frequency(vocabulary, texts);
    const mend = languagePart(language, 'spelling').corrector(frequency, context);
    return {
      conditions: `slips mended by a noisy channel${context === undefined ? '' : ` with n-grams of ${texts.length} texts`}`,
      rewrite: (text) => mend(withoutAccents(normaliseUnicode(text))),
    };
  },
};
