/**
 * Merged words: removes the space between two words, "notgood".
 *
 * Threat: a typing error on a phone, a line break lost in copying, and evasion of word lists.
 * Example: "a very good film" -> "a verygood film"
 * Readable because: all letters stay, in order; readers find the boundary, as in hashtags. Mergers that spell another
 * English word ("not able" -> "notable") and mergers of two numbers ("3 2" -> "32") are excluded.
 * Paper: none; removed spaces are one of the evasions of T. Gröndahl, L. Pajola, M. Juuti, M. Conti and N.
 * Asokan, "All You Need is 'Love': Evading Hate Speech Detection", AISec 2018; https://arxiv.org/abs/1808.09115
 * Differs: the paper removes every space of the text at once; here only the most important ones, each word is merged once,
 * and at most half of the words: each removed space counts as two edited words.
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

/** Merges slots `at` and `at + 1` if only a space separates them and a reader can undo it. */
function* mergers(draft: Draft, at: number, { dictionary }: Language): Iterable<Draft> {
  if (at < 0 || at + 1 >= draft.size || !/^\s+$/.test(draft.gapAfter(at))) return;
  const [left, right] = [draft.word(at), draft.word(at + 1)];
  const numbers = /\d$/.test(left) && /^\d/.test(right);
  if (!numbers && dictionary?.has(left + right) !== true) yield draft.join(at, '');
}

const dropSpaces: Transformation = {
  name: 'the space before or after a word removed',
  *edits(draft, at, _, { language }) {
    for (const slot of at) {
      yield* mergers(draft, slot - 1, language);
      yield* mergers(draft, slot, language);
    }
  },
};

export const mergeWords = searchAttack({
  name: 'merge-words',
  level: 'character',
  summary: 'Removes the space between two words: "very good" -> "verygood".',
  paper: { title: "All You Need is 'Love': Evading Hate Speech Detection", url: 'https://arxiv.org/abs/1808.09115' },
  bounds,
  edits: () => dropSpaces,
  constraints: (chosen) => [noRepeat, maxFraction(chosen.maxFraction)],
});
