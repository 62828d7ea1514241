/**
 * Truncation: cuts off the end or the beginning, as when a field is too short.
 *
 * Threat: no attacker is needed: previews, message limits, models with a maximum length.
 * Example: "A lovely film, if a little long, with a great cast." -> "A lovely film, if a little long, with a"
 * Readable because: at least `least` of the words stay, in order. The opinion may be lost with the rest: read the results.
 * Paper: none; truncation is how every model treats long texts (Chi Sun et al. 2019, "How to Fine-Tune BERT for Text
 * Classification?", section 5.3.1; https://arxiv.org/abs/1905.05583).
 * Differs: from word-deletion and input-reduction, which choose the removed words; here they are at an end.
 */
import { textAttack, wordsOf, z } from '../src/plugin.js';

const options = {
  least: z.number().gt(0).lt(1).default(0.75).describe('smallest remaining share of the words'),
  from: z.enum(['end', 'start', 'both']).default('end').describe('side that is cut: the end, the start, or either'),
};

/** Cuts tried per side: more would hardly differ. */
const CUTS_PER_SIDE = 8;

export const truncation = textAttack({
  name: 'truncation',
  summary: 'Cuts off the end or the start of a text: "A lovely film, if a little long" -> "A lovely film, if a".',
  options,
  edit: ({ least }) => ['an end cut off', `at least ${Math.round(least * 100)} % of the words kept`],
  *rewrites(text, { least, from }) {
    const words = wordsOf(text);
    const most = words.length - Math.ceil(words.length * least);
    const cuts = Math.min(CUTS_PER_SIDE, most);
    for (let i = 1; i <= cuts; i++) {
      const gone = Math.ceil((most * i) / cuts);
      const last = words[words.length - gone - 1];
      if (from !== 'start' && last !== undefined) yield text.slice(0, last.start + last.text.length);
      if (from !== 'end') yield text.slice(words[gone]?.start ?? 0);
    }
  },
});
