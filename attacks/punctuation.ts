/**
 * Punctuation: an apostrophe or a hyphen inside a word.
 *
 * Threat: hasty writing and hyphens left over from line breaks, or a word broken just enough for a filter to miss it.
 * Example: "a tedious film" -> "a te-dious film"
 * Readable because: no letter changes; readers of text with inserted hyphens and apostrophes lose less speed and accuracy than with
 * inserted letters (the paper's reading test). Other marks are left out: quotation marks would add irony, and
 * a question mark doubt.
 * Paper: Brian Formento, Chuan Sheng Foo, Luu Anh Tuan and See Kiong Ng, "Using Punctuation as an Adversarial Attack on Deep
 * Learning-Based NLP Systems: An Empirical Study", Findings of EACL 2023; https://aclanthology.org/2023.findings-eacl.1/
 * Differs: the paper runs the search of four published attacks with these insertions; here it is word importance and greedy, at
 * most one word in four, and no sentence encoder stands guard: the letters do.
 */
import {
  graphemesOf,
  inserted,
  keepStopWords,
  maxFraction,
  minLength,
  noRepeat,
  searchAttack,
  swapWords,
  z,
} from '../src/plugin.js';

const options = {
  marks: z.string().min(1).default("-'").describe('characters to insert, one a word'),
};

const bounds = {
  maxFraction: z.number().gt(0).max(1).default(0.25).describe('largest share of the words that may be broken'),
};

const rewrites = (marks: string) =>
  function* (word: string): Iterable<string> {
    const letters = graphemesOf(word);
    for (let at = 1; at < letters.length; at++) {
      for (const mark of marks) yield inserted(letters, at, mark);
    }
  };

export const punctuation = searchAttack({
  name: 'punctuation',
  level: 'character',
  summary: 'Puts an apostrophe or a hyphen inside a word: "tedious" -> "te-dious".',
  paper: {
    title: 'Using Punctuation as an Adversarial Attack on Deep Learning-Based NLP Systems: An Empirical Study',
    url: 'https://aclanthology.org/2023.findings-eacl.1/',
  },
  options,
  bounds,
  edits: ({ marks }) => swapWords('a mark inside a word', rewrites(marks)),
  constraints: (chosen) => [noRepeat, keepStopWords, minLength(3), maxFraction(chosen.maxFraction)],
});
