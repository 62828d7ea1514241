/**
 * Merged words: the space between two words dropped, "notgood".
 *
 * Threat: a slip of the thumb on a phone, a line break lost in copying, and the trick of writing past a word list.
 * Example: "a very good film" -> "a verygood film"
 * Readable because: all letters stay, in order; readers find the seam, as they do in hashtags. No merger that spells another
 * English word ("not able" -> "notable") and none of two numbers ("3 2" -> "32").
 * Paper: none of its own; removed spaces are one of the evasions of T. Gröndahl, L. Pajola, M. Juuti, M. Conti and N. Asokan, "All
 * You Need is 'Love': Evading Hate Speech Detection", AISec 2018; https://arxiv.org/abs/1808.09115
 * Differs: the paper drops every space of the text at once; here only those that matter most go, each word is merged once, and
 * at most half of the words: two count as edited for every space.
 */
import {
  type Draft,
  type Language,
  maxFraction,
  noRepeat,
  searchAttack,
  type Transformation,
  z,
} from '../src/plugin.js';

const bounds = {
  maxFraction: z.number().gt(0).max(1).default(0.5).describe('largest share of the words that may be merged'),
};

/** The merger of slots `at` and `at + 1`, where only space stands between them and a reader can undo it. */
function* merged(draft: Draft, at: number, { dictionary }: Language): Iterable<Draft> {
  if (at < 0 || at + 1 >= draft.size || !/^\s+$/.test(draft.gapAfter(at))) return;
  const [left, right] = [draft.word(at), draft.word(at + 1)];
  const numbers = /\d$/.test(left) && /^\d/.test(right);
  if (!numbers && dictionary?.has(left + right) !== true) yield draft.join(at, '');
}

const dropSpaces: Transformation = {
  name: 'the space before or after a word dropped',
  *edits(draft, at, _, { language }) {
    for (const slot of at) {
      yield* merged(draft, slot - 1, language);
      yield* merged(draft, slot, language);
    }
  },
};

export const mergeWords = searchAttack({
  name: 'merge-words',
  level: 'character',
  summary: 'Drops the space between two words: "very good" -> "verygood".',
  paper: {
    title: "All You Need is 'Love': Evading Hate Speech Detection",
    url: 'https://arxiv.org/abs/1808.09115',
  },
  bounds,
  edits: () => dropSpaces,
  constraints: (chosen) => [noRepeat, maxFraction(chosen.maxFraction)],
});
