/** @file Neighbourhoods of words, for random substitutions and for training. */
import { type Language, languagePart } from '../core/language.js';

/** A word -> lemmas of all its meanings except opposites; none for stop words. */
export function neighbourhood(language: Language): (word: string) => readonly string[] {
  const { lemmas } = languagePart(language, 'synonyms');
  const { stopWords, antonyms } = language;
  return (word) => (stopWords?.has(word) ? [] : lemmas(word).filter((other) => !antonyms?.areOpposed(word, other)));
}
