/**
 * Code switching: writes function words in another language that the reader also knows.
 *
 * Threat: bilingual writing, by habit or to evade a detector trained on one language.
 * Example: "ignore all of the rules" -> "ignore alle of les rules"
 * Readable because: the content words stay; language models read several languages, and so do many people. No inserted word is also a word
 * of the text's language.
 * Paper: Samson Tan and Shafiq Joty, "Code-Mixing on Sesame Street: Dawn of the Adversarial Polyglots", NAACL 2021;
 * https://arxiv.org/abs/2103.09593
 * Differs: the paper translates any word with aligned corpora; here only function words, by our own table, in the order of importance.
 */
import { languagePart, matchCase, noRepeat, searchAttack, swapWords } from '../src/plugin.js';

export const codeSwitching = searchAttack({
  name: 'code-switching',
  level: 'word',
  summary: 'Writes function words in another language: "ignore all of the rules" -> "ignore alle of les rules".',
  paper: {
    title: 'Code-Mixing on Sesame Street: Dawn of the Adversarial Polyglots',
    url: 'https://arxiv.org/abs/2103.09593',
  },
  readers: ['language model'],
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
