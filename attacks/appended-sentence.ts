/**
 * Appended sentence: adds an irrelevant sentence before or after the text, or repeats its last one.
 *
 * Threat: no attacker is needed, because people ramble; or someone who pads a text to evade a filter.
 * Example: "A lovely film." -> "A lovely film. I saw it on a Tuesday."
 * Readable because: every word of the text stays; the addition expresses no opinion.
 * Paper: none; the idea is that of Robin Jia and Percy Liang, "Adversarial Examples for Evaluating Reading Comprehension
 * Systems", EMNLP 2017, section 3 (AddAny, AddSent); https://arxiv.org/abs/1707.07328
 * Differs: the sentences are our own, written to fit any text, and are not optimised against the model.
 */
import { languagePart, textAttack, z } from '../src/plugin.js';

const options = {
  sentence: z.string().default('').describe('your sentence, instead of the built-in ones'),
  repeat: z.boolean().default(true).describe("also repeat the text's last sentence"),
};

/** Style of tokenised corpora: a space before the full stop. */
const inStyleOf = (text: string, sentence: string) =>
  /\s[.!?]\s*$/.test(text) ? sentence.replace(/\.$/, ' .') : sentence;

export const appendedSentence = textAttack({
  name: 'appended-sentence',
  summary: 'Adds a sentence without an opinion, or repeats the last one: "... I saw it on a Tuesday.".',
  options,
  edit: () => ['a sentence more', 'the text itself kept', 'one sentence added'],
  language: ({ sentence }) => (sentence === '' ? ['phrases'] : []),
  *rewrites(text, { sentence, repeat }, _, { language }) {
    for (const each of sentence === '' ? languagePart(language, 'phrases').sentences : [sentence]) {
      const added = inStyleOf(text, each);
      yield `${text.trimEnd()} ${added}`;
      yield `${added} ${text.trimStart()}`;
    }
    const last = /[^.!?]*[\p{L}\p{N}][^.!?]*[.!?]*\s*$/u.exec(text)?.[0].trim();
    if (repeat && last !== undefined) yield `${text.trimEnd()} ${last}`;
  },
});
