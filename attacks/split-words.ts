/**
 * Split words: separates letters, "g o o d", "g.o.o.d", "go od".
 *
 * Threat: a classic evasion of word filters: a reader joins the letters, and a tokenizer splits them.
 * Example: "The movie is good." -> "The movie is g o o d."
 * Readable because: the letters stay, in order; spaced-out words are a common form of emphasis, and a stray space is a common typo. A space
 * is not inserted if both halves are words ("no where", "hope less").
 * Paper: none; spaces and dots between letters are among the obfuscations of H. Hosseini, S. Kannan, B. Zhang and R. Poovendran, "Deceiving
 * Google's Perspective API Built for Detecting Toxic Comments", 2017; https://arxiv.org/abs/1702.08138
 * Differs: the paper edits by hand; here every separator and every place for one space is tried on the most important words, at most one
 * word in four.
 */
import { graphemesOf, inserted, letterAttack, z } from '../src/plugin.js';

const options = {
  separators: z.string().min(1).default(' .-').describe('characters inserted between all letters, each tried alone'),
  partial: z.boolean().default(true).describe('also insert one space into the word: "go od"'),
};

export const splitWords = letterAttack({
  name: 'split-words',
  summary: 'Inserts spaces, dots or hyphens between the letters of a word: "good" -> "g o o d".',
  paper: {
    title: "Deceiving Google's Perspective API Built for Detecting Toxic Comments",
    url: 'https://arxiv.org/abs/1702.08138',
  },
  readers: ['person', 'language model'],
  options,
  edit: 'a word split',
  *rewrites(word, { separators, partial }, _, { dictionary }) {
    const letters = graphemesOf(word);
    for (const separator of separators) yield letters.join(separator);
    for (let at = 1; partial && at < letters.length; at++) {
      const split = inserted(letters, at, ' ');
      if (!split.split(' ').every((half) => dictionary?.readsAsWord(half))) yield split;
    }
  },
  quarter: 'split',
  letters: 3,
  stopWordsKept: true,
});
