/**
 * @file The candidate source of PWWS (Ren et al. 2019) as TextAttack runs it: every single-word lemma of every meaning of
 * a word, whatever its part of speech, uninflected. It fools models and puts "sorcerous" for "charming"; `synonymsAt`
 * is the source for people who have to read the result.
 */
import { wordsOf } from '../../core/draft.js';
import { baseForms } from './base-forms.js';
import { isFunctionWord } from './stop-words.js';
import { classesOf } from './tag-lexicon.js';
import { WORD_CLASSES, wordnet } from './wordnet.js';

/** In WordNet's order: nouns, verbs, adjectives, adverbs; the most frequent meaning first; without the word as it stands. */
export function wordnetLemmas(word: string): string[] {
  // A capital makes May a month. Their list of stop words, which the attack keeps, lacks those that would be musty or mighty here.
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

/** The single words of the meaning a base form has most often; none for inflected words, whose synonyms would need inflecting. */
export function lemmasOfFirstMeaning(word: string): readonly string[] {
  const [first] = classesOf(word);
  if (first === undefined || first.base !== word) return [];
  return wordnet.synsets(word, first.wordClass)[0]?.words ?? [];
}
