/**
 * Entity seam: puts sentences before a text, one word more each time, until an entity lies where a model that tags loses it.
 *
 * Threat: a redactor reads long documents in windows, or their beginning only; the writer chooses how much stands before a name.
 * Example: "Call Ann Lee." -> "on a Tuesday. The kettle is on the stove. Call Ann Lee."
 * Readable because: the text stays as it is, and readers skip what stands before it.
 * Paper: none; the token classification pipeline of transformers reads long texts in overlapping windows (its option `stride`):
 * https://huggingface.co/docs/transformers/main_classes/pipelines
 * Differs: from window-seam, which parts the text itself. Here each entity keeps its words, so its place stays known. The windows' size and
 * overlap are not known.
 */
import { must } from '../src/core/errors.js';
import { inOrder, languagePart, searchAttack, type Transformation, wordsOf, z } from '../src/plugin.js';

const options = {
  words: z
    .int()
    .min(1)
    .default(200)
    .describe('maximum number of words before the text; 200 are about half of 512 tokens'),
};

/** The last `count` words of these sentences, which are repeated if they are fewer. */
function ending(sentences: readonly string[], count: number): string {
  const parts: string[] = [];
  let missing = count;
  for (let at = 0; missing > 0; at++) {
    const sentence = must(sentences[at % sentences.length]);
    const words = wordsOf(sentence);
    const from = missing < words.length ? must(words[words.length - missing]).start : 0;
    parts.unshift(sentence.slice(from));
    missing -= words.length;
  }
  return parts.join(' ');
}

const pushed = (most: number): Transformation => ({
  name: 'words before the text',
  bounds: ['the text itself kept', `at most ${most} words before it`],
  language: ['phrases'],
  whole: true,
  *edits(draft, _at, random, { language }) {
    const sentences = random
      .shuffle(languagePart(language, 'phrases').sentences)
      .filter((sentence) => wordsOf(sentence).length > 0);
    for (let words = 1; words <= most; words++) yield draft.surround(`${ending(sentences, words)} `, '');
  },
});

export const entitySeam = searchAttack({
  name: 'entity-seam',
  level: 'sentence',
  needs: 'labels',
  summary:
    'Puts words before the text until an entity lies on the seam of two windows: "Call Ann Lee." -> "a Tuesday. Call Ann Lee.".',
  options,
  edits: ({ words }) => pushed(words),
  constraints: () => [],
  search: () => inOrder,
});
