/**
 * Word insertion: puts in words that say nothing, where a speaker would: "it is honestly a good film".
 *
 * Threat: nobody at all, only talkative writers; or someone who pads a text to slip past.
 * Example: "it offers a few laughs" -> "it honestly offers a few laughs"
 * Readable because: the words put in are fillers of spoken English that judge nothing, stand before a finite verb only, one a
 * verb, at most three in the text.
 * Paper: none; the check is the invariance to neutral additions of Marco Tulio Ribeiro et al. 2020, "Beyond Accuracy: Behavioral
 * Testing of NLP Models with CheckList", section 3; https://arxiv.org/abs/2005.04118
 * Differs: from attacks that insert whatever a masked language model likes: that is often the opinion itself.
 */
import { languagePart, maxWords, noRepeat, searchAttack, z } from '../src/plugin.js';

const bounds = {
  maxWords: z.int().min(1).default(3).describe('words put in at most'),
};

export const wordInsertion = searchAttack({
  name: 'word-insertion',
  level: 'word',
  summary: 'Puts fillers that judge nothing before verbs: "it offers laughs" -> "it honestly offers laughs".',
  bounds,
  edits: () => ({
    name: 'a filler put in before a finite verb',
    language: ['phrases'],
    *edits(draft, at, _, { language }) {
      const { fillers } = languagePart(language, 'phrases');
      for (const slot of at) {
        for (const filler of fillers) yield draft.replace(slot, `${filler} ${draft.word(slot)}`);
      }
    },
  }),
  constraints: ({ maxWords: most }) => [
    noRepeat,
    maxWords(most),
    // It is this attack's own: elsewhere these fillers would break the sentence, and for other edits it says nothing.
    {
      name: 'fillers only between a subject and its verb',
      language: ['partOfSpeech'],
      editable(draft, at, language) {
        const tags = languagePart(language, 'partOfSpeech').tags(draft);
        const finite = /^VB[DZP]$/.test(tags[at]?.penn ?? '') && !/^['’]?(?:s|re|m|ve|d)$|['’]/i.test(draft.word(at));
        const subject = at > 0 && /^(?:NOUN|PRON)$/.test(tags[at - 1]?.universal ?? '');
        return finite && subject && draft.gapAfter(at - 1) === ' ';
      },
    },
  ],
});
