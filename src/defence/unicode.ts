import { z } from 'zod';
import type { DefencePlugin } from '../core/defence.js';
import { normaliseUnicode, withoutAccents } from '../language/unicode-normalisation.js';

const options = z.strictObject({ accents: z.boolean().default(true).describe('take accents off Latin letters too') });

/** Shows the model what readers see instead of homoglyphs, zero-width characters, direction overrides and accents. */
export const unicode: DefencePlugin<z.infer<typeof options>> = {
  kind: 'defence',
  name: 'unicode',
  summary:
    'Writes look-alike, invisible and accented letters plainly: "gооd f\u00ADílm" with Cyrillic о is read as "good film".',
  options,
  create: ({ accents }) => ({
    conditions: `letters as they look (NFKC, look-alikes, invisible characters${accents ? ', accents' : ''})`,
    rewrite: accents ? (text) => withoutAccents(normaliseUnicode(text)) : normaliseUnicode,
  }),
};
