/**
 * Truncation: cuts the end, or the beginning, off: what is left of a text when a field was too short.
 *
 * Threat: nobody at all, only systems: previews, message limits, models with a maximal length.
 * Example: "A lovely film, if a little long, with a great cast." -> "A lovely film, if a little long, with a"
 * Readable because: at least `least` of the words stay, in order. That the opinion stays with them is not certain: read the results.
 * Paper: none; truncation is how every model treats long texts (Chi Sun et al. 2019, "How to Fine-Tune BERT for Text Classification?",
 * section 5.3.1; https://arxiv.org/abs/1905.05583).
 * Differs: from word-deletion and input-reduction, which choose what goes; here it is an end.
 */
import { inOrder, rewriteText, searchAttack, wordsOf, z } from '../src/plugin.js';

const options = {
  least: z.number().gt(0).lt(1).default(0.75).describe('smallest share of the words that stays'),
  from: z.enum(['end', 'start', 'both']).default('end').describe('where it is cut: the end, the start, or either'),
};

/** Cuts tried on each side: more would hardly differ. */
const CUTS_PER_SIDE = 8;

export const truncation = searchAttack({
  name: 'truncation',
  level: 'sentence',
  needs: 'labels',
  summary: 'Cuts the end or the start off a text: "A lovely film, if a little long" -> "A lovely film, if a".',
  options,
  edits: ({ least, from }) =>
    rewriteText('an end cut off', [`at least ${Math.round(least * 100)} % of the words kept`], function* (text) {
      const words = wordsOf(text);
      const most = words.length - Math.ceil(words.length * least);
      const cuts = Math.min(CUTS_PER_SIDE, most);
      for (let i = 1; i <= cuts; i++) {
        const gone = Math.ceil((most * i) / cuts);
        const last = words[words.length - gone - 1];
        if (from !== 'start' && last !== undefined) yield text.slice(0, last.start + last.text.length);
        if (from !== 'end') yield text.slice(words[gone]?.start ?? 0);
      }
    }),
  constraints: () => [],
  search: () => inOrder,
});
