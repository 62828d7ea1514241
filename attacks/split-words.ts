/**
 * Split words: "g o o d", "g.o.o.d", "go od".
 *
 * Threat: the oldest trick against word filters: text that a reader closes up and a tokenizer takes apart.
 * Example: "The movie is good." -> "The movie is g o o d."
 * Readable because: the letters stay, in order; spaced-out words are a common form of emphasis, and a stray space inside a word
 * is a common slip. A space is not put where both halves are words of their own ("no where", "hope less").
 * Paper: none of its own; spaces and dots between letters are among the obfuscations of H. Hosseini, S. Kannan, B. Zhang and
 * R. Poovendran, "Deceiving Google's Perspective API Built for Detecting Toxic Comments", 2017; https://arxiv.org/abs/1702.08138
 * Differs: the paper edits by hand; here every separator and every place for one space is tried on the words that matter most,
 * at most one word in four.
 */
import {
  graphemesOf,
  inserted,
  keepStopWords,
  type Language,
  maxFraction,
  minLength,
  noRepeat,
  type Random,
  searchAttack,
  swapWords,
  z,
} from '../src/plugin.js';

const options = {
  separators: z.string().min(1).default(' .-').describe('characters put between all letters, each tried alone'),
  partial: z.boolean().default(true).describe('also put one space inside the word: "go od"'),
};

const bounds = {
  maxFraction: z.number().gt(0).max(1).default(0.25).describe('largest share of the words that may be split'),
};

const rewrites = (separators: string, partial: boolean) =>
  function* (word: string, _: Random, { dictionary }: Language): Iterable<string> {
    const letters = graphemesOf(word);
    for (const separator of separators) yield letters.join(separator);
    for (let at = 1; partial && at < letters.length; at++) {
      const split = inserted(letters, at, ' ');
      if (!split.split(' ').every((half) => dictionary?.readsAsWord(half))) yield split;
    }
  };

export const splitWords = searchAttack({
  name: 'split-words',
  level: 'character',
  summary: 'Puts spaces, dots or hyphens between the letters of a word: "good" -> "g o o d".',
  paper: {
    title: "Deceiving Google's Perspective API Built for Detecting Toxic Comments",
    url: 'https://arxiv.org/abs/1702.08138',
  },
  legibility: { readers: ['person', 'language model'], read: (text) => text.replaceAll(/[\s.-]+/g, '') },
  options,
  bounds,
  edits: ({ separators, partial }) => swapWords('a word split', rewrites(separators, partial)),
  constraints: (chosen) => [noRepeat, keepStopWords, minLength(3), maxFraction(chosen.maxFraction)],
});
