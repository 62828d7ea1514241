/**
 * @file Candidate source of PWWS (Ren et al. 2019) in TextAttack's version: every single-word lemma of every meaning of a word, whatever
 * its part of speech, uninflected. It fools models, but replaces "charming" by "sorcerous"; `synonymsAt` is the source for human readers.
 */
import { wordsOf } from '../../core/draft.js';
import { baseForms } from './base-forms.js';
import { isFunctionWord } from './stop-words.js';
import { classesOf } from './tag-lexicon.js';
import { WORD_CLASSES, wordnet } from './wordnet.js';

/** In WordNet's order: nouns, verbs, adjectives, adverbs, the most frequent meaning first, without the word itself. */
export function wordnetLemmas(word: string): string[] {
  // With a capital, May is a month. TextAttack's stop words, which the attack keeps, lack words that would become musty or mighty.
  if (isFunctionWord(word) && word === word.toLowerCase()) return [];
  const lemmas = new Set<string>();
  for (const wordClass of WORD_CLASSES) {
    for (const base of baseForms(word, wordClass)) {
      for (const synset of wordnet.synsets(base, wordClass)) for (const lemma of synset.words) lemmas.add(lemma);
    }
  }
  lemmas.delete(word);
  return [...lemmas].filter((lemma) => !lemma.includes(' ') && wordsOf(lemma).length === 1);
}

/** Single-word lemmas of a base form's most frequent meaning; none for inflected words, whose synonyms would need inflection. */
export function lemmasOfFirstMeaning(word: string): readonly string[] {
  const [first] = classesOf(word);
  if (first === undefined || first.base !== word) return [];
  return wordnet.synsets(word, first.wordClass)[0]?.words ?? [];
}
