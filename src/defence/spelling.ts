import { z } from 'zod';
import type { DefencePlugin } from '../core/defence.js';
import { RobustError } from '../core/errors.js';
import { languagePart } from '../core/language.js';
import { NgramModel } from '../language/ngram-model.js';
import { normaliseUnicode, withoutAccents } from '../language/unicode-normalisation.js';

const options = z.strictObject({
  backOff: z
    .enum(['pass-through', 'neutral'])
    .default('pass-through')
    .describe('words that nobody knows: left, or hidden as [UNK] (with texts; Pruthi et al. 2019, section 3.2)'),
});

/** Corrects typos before the victim reads the text. */
export const spelling: DefencePlugin<z.infer<typeof options>> = {
  kind: 'defence',
  name: 'spelling',
  summary:
    'Mends slips of the pen: "an idiit !" is read as "an idiot !", "go od" as "good", with Cyrillic letters as Latin.',
  paper: {
    title: 'Pruthi, Dhingra, Lipton: Combating Adversarial Misspellings with Robust Word Recognition, ACL 2019',
    url: 'https://arxiv.org/abs/1905.11268',
  },
  options,
  language: ['dictionary', 'spelling'],
  create: ({ backOff }, { vocabulary, texts, language, mask }) => {
    const hides = backOff === 'neutral';
    if (hides && texts.length === 0)
      throw new RobustError(
        '--defend: spelling:back-off=neutral: expected texts that show which words are known, got none',
        { code: 'DEFENCE_INVALID', hint: 'For example: --defend spelling:texts=train.tsv:back-off=neutral' },
      );
    const context = texts.length > 0 ? new NgramModel(texts, language) : undefined;
    const frequency = languagePart(language, 'dictionary').frequency(vocabulary, texts);
    const mend = languagePart(language, 'spelling').corrector(frequency, context, hides ? mask : undefined);
    const conditions = [
      `typos corrected by a noisy channel${context === undefined ? '' : ` with n-grams of ${texts.length} texts`}`,
      ...(hides ? ['unknown words hidden'] : []),
    ];
    return { conditions: conditions.join(', '), rewrite: (text) => mend(withoutAccents(normaliseUnicode(text))) };
  },
};
