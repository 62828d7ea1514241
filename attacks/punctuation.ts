/**
 * Punctuation: inserts an apostrophe or a hyphen into a word.
 *
 * Threat: hasty writing and hyphens left over from line breaks, or a word split just enough for a filter to miss it.
 * Example: "a tedious film" -> "a te-dious film"
 * Readable because: no letter changes; inserted hyphens and apostrophes cost readers less speed and accuracy than inserted
 * letters (the paper's reading test). Other marks are excluded: quotation marks would add irony, and a question mark doubt.
 * Paper: Brian Formento, Chuan Sheng Foo, Luu Anh Tuan and See Kiong Ng, "Using Punctuation as an Adversarial Attack on Deep
 * Learning-Based NLP Systems: An Empirical Study", Findings of EACL 2023; https://aclanthology.org/2023.findings-eacl.1/
 * Differs: the paper combines these insertions with the search of four published attacks; here the search is greedy by word
 * importance, at most one word in four, without a sentence encoder, because the letters stay.
 */
import { graphemesOf, inserted, letterAttack, z } from '../src/plugin.js';

const options = { marks: z.string().min(1).default("-'").describe('characters to insert, one per word') };

export const punctuation = letterAttack({
  name: 'punctuation',
  summary: 'Inserts an apostrophe or a hyphen into a word: "tedious" -> "te-dious".',
  paper: {
    title: 'Using Punctuation as an Adversarial Attack on Deep Learning-Based NLP Systems: An Empirical Study',
    url: 'https://aclanthology.org/2023.findings-eacl.1/',
  },
  options,
  edit: 'a mark inside a word',
  *rewrites(word, { marks }) {
    const letters = graphemesOf(word);
    for (let at = 1; at < letters.length; at++) {
      for (const mark of marks) yield inserted(letters, at, mark);
    }
  },
  quarter: 'changed',
  letters: 3,
  stopWordsKept: true,
});
