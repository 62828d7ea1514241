/**
 * Verify: every text of a stated space of edits, so that an example that it does not break is proved robust.
 *
 * Threat: someone who may make one small edit, whichever one they like, and as many attempts as they need.
 * Example: "it lacks humor" -> "it lacls humor"; if none of the edited texts changes the prediction, the example is proved robust.
 * Readable because: a single character, word or blank differs, or two do with `edits=2`.
 * Paper: none. Elias Abad Rocamora, Grigorios G. Chrysos and Volkan Cevher, "Certified Robustness Under Bounded Levenshtein Distance", ICLR
 * 2025, take such enumeration as the exact reference of their bounds; https://arxiv.org/abs/2501.13676
 * Differs: swaps of neighbouring characters are edits too, edits of words are spaces of their own, and the edits that are likely to change
 * the prediction come first: the first edits of each place rank the places. Two edits never overlap (optimal string alignment distance).
 */
import { type EvasionPlugin, z } from '../src/plugin.js';
import { exhaustiveCheck, replacesWords } from '../src/verify/exhaustive.js';
import { verificationMeasures } from '../src/verify/measures.js';
import { SPACE_NAMES } from '../src/verify/spaces.js';

const options = z
  .strictObject({
    space: z
      .array(z.enum(SPACE_NAMES))
      .min(1)
      .default(['characters'])
      .describe(`the edits: ${SPACE_NAMES.join(', ')}, or several`),
    edits: z
      .int()
      .min(0)
      .max(2)
      .default(1)
      .describe(
        'most edits in one text: 1 or 2; 0 for any number of replaced words, with synonyms, typos or look-alikes alone',
      ),
    alphabet: z
      .string()
      .min(1)
      .default('letters')
      .describe(
        'of the space characters: "letters", the lower-case letters of the language and the blank; "data", the characters of the texts; or these',
      ),
  })
  .refine(({ space, edits }) => edits > 0 || replacesWords([...new Set(space)]), {
    path: ['edits'],
    error: 'expected 1 or 2: any number of edits (0) needs the space synonyms, typos or look-alikes, and no other',
  });

export const verify: EvasionPlugin<z.infer<typeof options>> = {
  kind: 'evasion',
  name: 'verify',
  level: 'character',
  needs: 'labels',
  summary: 'Tries every text of a space of edits, which proves that none changes the prediction, or finds one.',
  options,
  measures: verificationMeasures,
  create: ({ space, edits, alphabet }) =>
    exhaustiveCheck({ spaces: [...new Set(space)], edits: edits as 0 | 1 | 2, alphabet }),
};
