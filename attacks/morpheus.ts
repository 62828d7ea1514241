/**
 * Morpheus: inflects words differently: "the films was charm".
 *
 * Threat: no attacker is needed: endings that second-language speakers confuse must not change the prediction.
 * Example: "the actors give charming performances" -> "the actor gave charming performance"
 * Readable because: each word stays the same in another form; readers take the meaning from the stems.
 * Paper: Samson Tan, Shafiq Joty, Min-Yen Kan and Richard Socher, "It's Morphin' Time! Combating Linguistic Discrimination
 * with Inflectional Perturbations", ACL 2020, section 4; https://aclanthology.org/2020.acl-main.263
 * Differs: the paper goes through the text from both ends and keeps the better result; here words are taken in the order of
 * importance, and the search stops at the first success, so fewer words change. A share of the words is the limit.
 */
import type { WordClass } from '../src/core/language.js';
import {
  keepStopWords,
  type Language,
  languagePart,
  matchCase,
  maxFraction,
  noRepeat,
  searchAttack,
  z,
} from '../src/plugin.js';

const bounds = {
  maxFraction: z.number().gt(0).max(1).default(0.25).describe('largest share of the words in another form'),
};

/** Penn tags of a class's forms. */
const FORMS: Readonly<Record<WordClass, readonly string[]>> = {
  noun: ['NN', 'NNS'],
  verb: ['VB', 'VBZ', 'VBD', 'VBN', 'VBG'],
  adjective: ['JJ', 'JJR', 'JJS'],
  adverb: [],
};

/** The other forms of a word of a class, single words only. */
function formsOf(word: string, wordClass: WordClass, language: Language): string[] {
  const { baseForms, inflect } = languagePart(language, 'inflection');
  const forms = new Set<string>();
  for (const base of baseForms(word, wordClass)) {
    for (const tag of FORMS[wordClass]) {
      const form = inflect(base, tag);
      if (form === undefined || form.includes(' ') || form === word.toLowerCase()) continue;
      // "little" and "least" share no stem, from which a reader could take the meaning.
      if (wordClass !== 'adjective' || form.slice(0, 2) === word.slice(0, 2).toLowerCase()) forms.add(form);
    }
  }
  return [...forms];
}

export const morpheus = searchAttack({
  name: 'morpheus',
  level: 'word',
  summary: 'Inflects words differently: "the films were charming" -> "the film were charming".',
  paper: {
    title: "It's Morphin' Time! Combating Linguistic Discrimination with Inflectional Perturbations",
    url: 'https://aclanthology.org/2020.acl-main.263',
  },
  bounds,
  edits: () => ({
    name: 'another inflected form',
    language: ['inflection', 'partOfSpeech'],
    *edits(draft, at, _, { language }) {
      const tags = languagePart(language, 'partOfSpeech').tags(draft);
      for (const slot of at) {
        const { wordClass, penn } = tags[slot] ?? {};
        const word = draft.word(slot);
        if (wordClass === undefined || /^NNPS?$/.test(penn ?? '') || !/^[a-z]+$/i.test(word)) continue;
        for (const form of formsOf(word, wordClass, language)) yield draft.replace(slot, matchCase(form, word));
      }
    },
  }),
  constraints: ({ maxFraction: fraction }) => [noRepeat, keepStopWords, maxFraction(fraction)],
});
