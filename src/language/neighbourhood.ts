/** @file The words that are taken for one another where nobody chooses them: by chance, or by a model that is trained. */
import { type Language, languagePart } from '../core/language.js';

/** A word -> the lemmas of all its meanings but its opposites; none for stop words. */
export function neighbourhood(language: Language): (word: string) => readonly string[] {
  const { lemmas } = languagePart(language, 'synonyms');
  const { stopWords, antonyms } = language;
  return (word) => (stopWords?.has(word) ? [] : lemmas(word).filter((other) => !antonyms?.areOpposed(word, other)));
}
