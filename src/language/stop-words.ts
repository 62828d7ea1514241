import { wordList } from './data-files.js';

let words: ReadonlySet<string> | undefined;

/** Whether a word is one of NLTK's 179 English stop words, in any case and with either apostrophe. */
export function isStopWord(word: string): boolean {
  words ??= new Set(wordList('stop-words.txt'));
  return words.has(word.toLowerCase().replaceAll('’', "'"));
}
