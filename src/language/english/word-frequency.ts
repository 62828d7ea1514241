/**
 * @file Word frequency without a corpus: from WordNet's tagged texts, the tagger's newswire, a model's vocabulary, and texts of the data
 * set. A rough prior, suitable only for choosing between candidates.
 */
import { getOrCompute } from '../../core/get-or-compute.js';
import type { WordFrequency } from '../../core/language.js';
import { baseForms } from './base-forms.js';
import { inflect } from './inflection.js';
import { isStopWord, stopWords } from './stop-words.js';
import { isNewswire, newswireWords } from './tag-lexicon.js';
import { tokenize } from './tokens.js';
import { WORD_CLASSES, wordnet } from './wordnet.js';

/** Uses credited to a listed word; the unit is one use in WordNet's tagged texts (some 235,000 words). */
const CREDIT = { listed: 0.1, newswire: 4, stopWord: 200 } as const;
/** Vocabularies list frequent words first. By Zipf's law, word number r is credited with ZIPF / (r + HEAD) uses. */
const [ZIPF, HEAD] = [20_000, 50];
/** Uses of a vocabulary entry that no dictionary lists: a name, or the beginning of a word. */
const UNLISTED_FREQUENCY = 0.5;
/** Share of a base form's uses that an inflection is credited with. */
const INFLECTED_SHARE = 0.3;
/** Words below it are listed but hardly used. */
const MIN_COMMON_FREQUENCY = 1;
/** Inflections added to the list of words. */
const FORMS = { noun: ['NNS'], verb: ['VBZ', 'VBD', 'VBG'], adjective: ['JJR', 'JJS'], adverb: [] } as const;

export class EnglishFrequency implements WordFrequency {
  /** Word -> its index in the vocabulary. */
  readonly #vocabulary: ReadonlyMap<string, number>;
  readonly #texts = new Map<string, number>();
  readonly #known = new Map<string, number>();

  /**
   * @param vocabulary words that a model has as one piece, the frequent ones first
   * @param texts texts whose words count as often as they occur
   */
  constructor(vocabulary: Iterable<string> = [], texts: Iterable<string> = []) {
    const words = new Set(Array.from(vocabulary, (word) => word.toLowerCase()));
    this.#vocabulary = new Map(Array.from(words, (word, place) => [word, place]));
    for (const text of texts) {
      for (const token of tokenize(text)) {
        const word = token.toLowerCase();
        this.#texts.set(word, (this.#texts.get(word) ?? 0) + 1);
      }
    }
  }

  /** Number of uses; 0 for an unlisted word. Lower case. */
  of(word: string): number {
    return getOrCompute(this.#known, word, this.#count);
  }

  /** Whether the word is frequent enough to need no correction. */
  isCommon(word: string): boolean {
    return this.of(word) >= MIN_COMMON_FREQUENCY;
  }

  readonly #count = (word: string): number => {
    let uses = this.#texts.get(word) ?? 0;
    if (isStopWord(word)) uses += CREDIT.stopWord;
    if (isNewswire(word)) uses += CREDIT.newswire;
    for (const base of new Set(WORD_CLASSES.flatMap((wordClass) => baseForms(word, wordClass)))) {
      const share = base === word ? 1 : INFLECTED_SHARE;
      uses += CREDIT.listed;
      for (const count of wordnet.counts(base).values()) uses += share * count;
    }
    const place = this.#vocabulary.get(word);
    if (place !== undefined) uses += uses > 0 ? ZIPF / (place + HEAD) : UNLISTED_FREQUENCY;
    return uses;
  };

  /** The most frequent words, roughly: those of the vocabulary, the texts and newswire. */
  everyday(): Set<string> {
    return onlyLetters(
      new Set([...this.#vocabulary.keys(), ...this.#texts.keys(), ...newswireWords(), ...stopWords()]),
    );
  }

  /** All words with uses, lower case: letters, apostrophes and hyphens only. */
  words(): Set<string> {
    const words = this.everyday();
    for (const wordClass of WORD_CLASSES) {
      for (const lemma of wordnet.lemmas(wordClass)) {
        words.add(lemma);
        if (isNewswire(lemma)) for (const tag of FORMS[wordClass]) words.add(inflect(lemma, tag) ?? lemma);
      }
    }
    return onlyLetters(words);
  }
}

function onlyLetters(words: Set<string>): Set<string> {
  for (const word of words) if (!/^[a-z]['a-z-]*$/.test(word)) words.delete(word);
  return words;
}
