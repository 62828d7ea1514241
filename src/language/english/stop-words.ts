import { lazily } from '../data-files.js';
import { section, wordList } from './data-files.js';

/** NLTK's 179 English stop words, lower case, with straight apostrophes. */
export const stopWords = lazily((): ReadonlySet<string> => new Set(wordList('stop-words.txt')));

/** Function words that the stop words lack, because that list was made for search engines. */
const MORE = section('function-words.txt', 'besides the stop words');

/**
 * Whether a word is a function word: pronouns, articles, prepositions, conjunctions, auxiliary and modal verbs. Homographs with content
 * (the can, the will, may, IT, a doe) are not considered. "won" is listed for "won't".
 */
export const isFunctionWord = (word: string): boolean => {
  const plain = word.toLowerCase().replaceAll('’', "'");
  return MORE.has(plain) || (plain !== 'won' && stopWords().has(plain));
};

/** Whether a word is a stop word, in any case and with either apostrophe. */
export const isStopWord = (word: string): boolean => stopWords().has(word.toLowerCase().replaceAll('’', "'"));
