/**
 * Word insertion: inserts filler words as in speech: "it is honestly a good film".
 *
 * Threat: no attacker is needed, because some writers are talkative; or someone who pads a text to evade a filter.
 * Example: "it offers a few laughs" -> "it honestly offers a few laughs"
 * Readable because: the inserted words are fillers of spoken English without an opinion, only before a finite verb, one per
 * verb, at most three in the text.
 * Paper: none; the check is the invariance to neutral additions of Marco Tulio Ribeiro et al. 2020, "Beyond Accuracy:
 * Behavioral Testing of NLP Models with CheckList", section 3; https://arxiv.org/abs/2005.04118
 * Differs: from attacks that insert suggestions of a masked language model, which are often opinions themselves.
 */
import { languagePart, maxWords, noRepeat, searchAttack, z } from '../src/plugin.js';

const bounds = { maxWords: z.int().min(1).default(3).describe('maximum number of inserted words') };

export const wordInsertion = searchAttack({
  name: 'word-insertion',
  level: 'word',
  summary: 'Inserts neutral fillers before verbs: "it offers laughs" -> "it honestly offers laughs".',
  bounds,
  edits: () => ({
    name: 'a filler inserted before a finite verb',
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
    // Specific to this attack: elsewhere these fillers would break the sentence, and the constraint has no meaning for other edits.
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
