import { wordList } from './data-files.js';

let words: ReadonlySet<string> | undefined;

/** NLTK's 179 English stop words, lower case, with straight apostrophes. */
export function stopWords(): ReadonlySet<string> {
  words ??= new Set(wordList('stop-words.txt'));
  return words;
}

/** Whether a word is a stop word, in any case and with either apostrophe. */
export const isStopWord = (word: string): boolean => stopWords().has(word.toLowerCase().replaceAll('’', "'"));
