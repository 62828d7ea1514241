/** @file Distributional similarity of possible synonyms: cosines of word vectors, from a table. */
import { lazily } from '../data-files.js';
import { table } from './data-files.js';

const closeness = lazily(() => {
  const pairs = new Map<string, number>();
  for (const [word, ...others] of table('word-closeness.tsv')) {
    for (const other of others) {
      const space = other.indexOf(' ');
      pairs.set(`${word} ${other.slice(0, space)}`, Number(other.slice(space + 1)) / 100);
    }
  }
  return pairs;
});

/**
 * The cosine of two base forms in lower case, 0.4 to 1; undefined for lower values, for rare words and for pairs that WordNet does not
 * relate.
 */
export const wordCloseness = (a: string, b: string): number | undefined =>
  closeness().get(a < b ? `${a} ${b}` : `${b} ${a}`);
