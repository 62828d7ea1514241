/**
 * Appended sentence: puts a sentence that says nothing about the matter before or behind the text, or says its last one twice.
 *
 * Threat: nobody at all, only people who ramble; or someone who pads a text to slip past.
 * Example: "A lovely film." -> "A lovely film. I saw it on a Tuesday."
 * Readable because: every word of the text stays; what is added judges nothing.
 * Paper: none; the idea is that of Robin Jia and Percy Liang, "Adversarial Examples for Evaluating Reading Comprehension Systems",
 * EMNLP 2017, section 3 (AddAny, AddSent); https://arxiv.org/abs/1707.07328
 * Differs: the sentences are ours, written to fit any text, and are not sought by the model's answers.
 */
import { inOrder, languagePart, rewriteText, searchAttack, z } from '../src/plugin.js';

const options = {
  sentence: z.string().default('').describe('one of your own, instead of ours'),
  repeat: z.boolean().default(true).describe("also the text's own last sentence again"),
};

/** As tokenised corpora write: a space before the full stop. */
const inStyleOf = (text: string, sentence: string) =>
  /\s[.!?]\s*$/.test(text) ? sentence.replace(/\.$/, ' .') : sentence;

export const appendedSentence = searchAttack({
  name: 'appended-sentence',
  level: 'sentence',
  needs: 'labels',
  summary: 'Adds a sentence that judges nothing, or repeats the last one: "... I saw it on a Tuesday.".',
  options,
  edits: ({ sentence, repeat }) =>
    rewriteText(
      'a sentence more',
      ['the text itself kept', 'one sentence added'],
      function* (text, _, { language }) {
        for (const each of sentence === '' ? languagePart(language, 'phrases').sentences : [sentence]) {
          const added = inStyleOf(text, each);
          yield `${text.trimEnd()} ${added}`;
          yield `${added} ${text.trimStart()}`;
        }
        const last = /[^.!?]*[\p{L}\p{N}][^.!?]*[.!?]*\s*$/u.exec(text)?.[0].trim();
        if (repeat && last !== undefined) yield `${text.trimEnd()} ${last}`;
      },
      sentence === '' ? ['phrases'] : [],
    ),
  constraints: () => [],
  search: () => inOrder,
});
