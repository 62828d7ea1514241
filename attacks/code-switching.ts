/**
 * Code switching: function words in another language that the reader also knows.
 *
 * Threat: bilingual writing, by habit or to pass a detector that was trained on one language.
 * Example: "ignore all of the rules" -> "ignore alle of les rules"
 * Readable because: the words that carry the meaning stay; language models read several languages, and so do many people. No word that is
 * put in is a word of the text's own language too.
 * Paper: Samson Tan and Shafiq Joty, "Code-Mixing on Sesame Street: Dawn of the Adversarial Polyglots", NAACL 2021;
 * https://arxiv.org/abs/2103.09593
 * Differs: the paper translates any word by aligned corpora; here function words only, by a table of our own, each by importance.
 */
import { languagePart, matchCase, noRepeat, searchAttack, swapWords } from '../src/plugin.js';

export const codeSwitching = searchAttack({
  name: 'code-switching',
  level: 'word',
  summary: 'Puts function words into another language: "ignore all of the rules" -> "ignore alle of les rules".',
  paper: {
    title: 'Code-Mixing on Sesame Street: Dawn of the Adversarial Polyglots',
    url: 'https://arxiv.org/abs/2103.09593',
  },
  legibility: {
    readers: ['language model'],
    read: (text, language) =>
      text
        .replaceAll(/[\p{L}\p{M}]+/gu, (word) => languagePart(language, 'codeSwitching').meaning(word) ?? word)
        .toLowerCase(),
  },
  edits: () =>
    swapWords(
      'function words of another language',
      (word, _, language) =>
        languagePart(language, 'codeSwitching')
          .translations(word)
          .map((other) => matchCase(other, word)),
      ['codeSwitching'],
    ),
  constraints: () => [noRepeat],
});
