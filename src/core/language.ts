/**
 * @file Interface of a language. A language offers the resources that exist for it. An attack, a defence or a detector that needs a missing
 * resource is left out by name, never run with another language.
 */
import type { Draft } from './draft.js';
import { RobustError } from './errors.js';
import type { NegationPart } from './negation.js';
import type { Random } from './random.js';

export interface Language {
  /** BCP 47: "en". */
  readonly code: string;
  /** As in a sentence: "English". */
  readonly name: string;
  /** Words, clitics and punctuation as separate tokens with their original letters, for n-grams. */
  tokenize(text: string): readonly string[];
  /** Letters that random typos draw from, in both cases. Absent: no attack that types random letters. */
  readonly letters?: readonly string[];
  /** Absent: no attack that hits a neighbouring key. */
  readonly keyboard?: Keyboard;
  /** Absent: only typing errors, no spelling errors. */
  readonly misspellings?: Misspellings;
  /** Function words, in any case. Absent: attacks may edit any word. */
  readonly stopWords?: { has(word: string): boolean };
  /** Absent: typos may produce other words, and defences that count words are refused. */
  readonly dictionary?: Dictionary;
  /** Absent: no defence that corrects typos. */
  readonly spelling?: SpellingCorrection;
  /** Letters of the inflection at the end of a word. Absent: spelling errors may change any letter but the first and the last. */
  readonly endings?: { lettersOf(word: string): number };
  /** Absent: no attack on inflections. */
  readonly inflection?: Inflection;
  /** Absent: articles are neither adapted to swapped words nor checked. */
  readonly articles?: Articles;
  /** Absent: no attack that swaps words by their part of speech. */
  readonly partOfSpeech?: PartOfSpeechTagger;
  /** Absent: no attack that swaps synonyms, and no constraint on meaning. */
  readonly synonyms?: Thesaurus;
  /** Absent: no attack that guarantees not to swap opposites. */
  readonly antonyms?: { areOpposed(a: string, b: string): boolean };
  /** Absent: contractions stay as they are. */
  readonly contractions?: Contractions;
  /** Names, numbers and dates. Absent: no attack that replaces them. */
  readonly entities?: Entities;
  /** Absent: no probes of negation. */
  readonly negation?: NegationPart;
  /** Sentences and words that attacks add to a text. Absent: no attack that adds any. */
  readonly phrases?: Phrases;
  /** Other ways of speaking. Absent: no attack that rewrites texts in them. */
  readonly registers?: Registers;
  /** Nouns and verbs of everyday topics such as the kitchen, the garden or the weather. Absent: no attack that pads texts with them. */
  readonly everydayWords?: readonly string[];
  /** Translations of function words into languages that its readers also know. Absent: no attack that switches languages. */
  readonly codeSwitching?: CodeSwitching;
}

/** Parts that a language may omit. */
export type LanguagePart = Exclude<keyof Language, 'code' | 'name' | 'tokenize'>;

/** `touching`: adjacent keys. `near`: TextAttack's wider list, for comparable results. */
export type Reach = 'touching' | 'near';

interface Keyboard {
  /** Keys that a finger may hit instead of a letter's key, in the letter's case; none for characters without a key. */
  neighbours(letter: string, reach: Reach): readonly string[];
}

interface Misspellings {
  /** Known misspellings of a word, in its case. */
  known(word: string): readonly string[];
  /** Phonetic misspellings of a word, with one error each. */
  bySound(word: string): readonly string[];
}

export interface Dictionary {
  /** Whether it is a word, in any inflection and case. */
  has(word: string): boolean;
  /** Do readers take these letters for a word of its own? A dictionary may list every letter and many pairs. */
  readsAsWord(letters: string): boolean;
  /** Base forms without spaces. */
  words(): readonly string[];
  /**
   * How often words are used. @param vocabulary words that a model has as one piece, the frequent ones first. @param texts texts whose
   * words count as often as they occur
   */
  frequency(vocabulary: Iterable<string>, texts: Iterable<string>): WordFrequency;
}

/** A rough prior, suitable only for choosing between candidates. */
export interface WordFrequency {
  /** Number of uses; 0 for an unlisted word. Lower case. */
  of(word: string): number;
  /** Whether the word is frequent enough to need no correction. */
  isCommon(word: string): boolean;
  /** The most frequent words. */
  everyday(): Set<string>;
  /** All words with uses. */
  words(): Set<string>;
}

/** Predicts words from their context. */
export interface WordContext {
  knows(word: string): boolean;
  /** Natural log of p(word | the last words before it). */
  logProbability(word: string, before: readonly string[]): number;
}

interface SpellingCorrection {
  /**
   * Creates a function that corrects typos word by word and returns a correct text unchanged. With a context, the function reads the whole
   * text as it was probably meant; `unknown` then replaces words that are not recognised.
   */
  corrector(frequency: WordFrequency, context?: WordContext, unknown?: string): (text: string) => string;
}

export type WordClass = 'noun' | 'verb' | 'adjective' | 'adverb';

interface Inflection {
  /** Dictionary forms that a word may be an inflection of; none for a word that is not listed in the class. */
  baseForms(word: string, wordClass: WordClass): readonly string[];
  /** A base form inflected for a tag of the language; undefined if that form does not exist. */
  inflect(base: string, tag: string): string | undefined;
}

interface Articles {
  has(word: string): boolean;
  /** The draft in which the article before slot `at`, if any, agrees with the slot's word. */
  agree(draft: Draft, at: number): Draft;
  /** Number of articles in a text that disagree with the following word. */
  wrongIn(text: string): number;
}

/** The twelve universal tags (Petrov, Das and McDonald 2012), with PUNCT for ".". */
export type UniversalTag =
  | 'NOUN'
  | 'VERB'
  | 'ADJ'
  | 'ADV'
  | 'PRON'
  | 'DET'
  | 'ADP'
  | 'NUM'
  | 'CONJ'
  | 'PRT'
  | 'PUNCT'
  | 'X';

export interface PartOfSpeech {
  /** Tag of the language's tag set; for English the Penn Treebank's, such as "NNS". */
  readonly penn: string;
  readonly universal: UniversalTag;
  /** Word class in a dictionary; undefined for function words, numbers and punctuation. */
  readonly wordClass: WordClass | undefined;
}

interface PartOfSpeechTagger {
  /** Part of speech of each slot of a draft: that of its first word if it contains several, `X` if it is empty. */
  tags(draft: Draft): readonly PartOfSpeech[];
}

export interface Synonym {
  /** Ready for the slot: inflected, with the slot's capitals and clitic ("movie's"). */
  readonly text: string;
  /** Dictionary form. */
  readonly lemma: string;
  /** Probability, from 0 to 1, that the word has this meaning here and is expressed by that lemma. */
  readonly weight: number;
}

interface Thesaurus {
  /** Words that could replace slot `at` unnoticed, best first: with the intended meaning, inflected. */
  inContext(draft: Draft, at: number): readonly Synonym[];
  /** All single-word synonyms of every meaning of a word, uninflected. */
  lemmas(word: string): readonly string[];
  /** Single-word synonyms of a base form's most frequent meaning; none for inflected words. */
  ofFirstMeaning(word: string): readonly string[];
  /** Semantic similarity of two words, between 0 and 1. */
  similarity(a: string, b: string): number;
}

interface Contractions {
  /** Slot `at` with its contraction expanded, or undefined. */
  expand(draft: Draft, at: number): Draft | undefined;
  /** Slots `at` and `at + 1` as one contraction, the second slot emptied; undefined if it does not exist. */
  contract(draft: Draft, at: number): Draft | undefined;
}

type EntityKind = 'person' | 'place' | 'name' | 'number' | 'date';

export interface Entity {
  readonly kind: EntityKind;
  /** Slots from `first` to `last`, inclusive. */
  readonly first: number;
  readonly last: number;
}

export interface Entities {
  /** Entities of a draft, in order, without overlaps. */
  of(draft: Draft): readonly Entity[];
  /** Lists of interchangeable names: first names of women, countries. */
  readonly names: Readonly<Record<'person' | 'place', readonly WordList[]>>;
  /** Throws RangeError unless `n` is a whole number from 0 to below 10^12. */
  numberToWords(n: number): string;
  /** The number that a phrase spells; undefined if it is not a number. */
  wordsToNumber(phrase: string): number | undefined;
}

/** An ordered list of words. */
export interface WordList {
  readonly words: readonly string[];
  has(word: string): boolean;
}

export interface CodeSwitching {
  /** The word in other languages, lower case; none for other words than function words. */
  translations(word: string): readonly string[];
  /** The function word, lower case, of which this word of another language is the translation; undefined for other words. */
  meaning(word: string): string | undefined;
}

export interface Phrases {
  /** Sentences without an opinion that fit any text. */
  readonly sentences: readonly string[];
  /** Instructions that people write to language models; `{label}` is replaced by a label. */
  readonly instructions: readonly string[];
  /** Verbs of saying that may precede a finite verb. */
  readonly fillers: readonly string[];
  /** Hashtags without an opinion, without the sign. */
  readonly hashtags: readonly string[];
  /** Short questions without an opinion, which may follow any sentence: "is it not". */
  readonly questions: readonly string[];
  /** A clause without content, made of randomly drawn words: subordinate, or the same words as a main clause. */
  clause(random: Random, kind: 'subordinate' | 'main'): string;
}

/** A way of speaking that a language's lists of words can give a text. */
export type Register = 'archaic' | 'spoken' | 'telegraphic';

export interface Registers {
  /** The text in that register, with words drawn at random; undefined if nothing in it changes. */
  rewrite(text: string, register: Register, random: Random): string | undefined;
}

/** Display name of each part, and the members that an implementation must have. */
const PARTS = {
  letters: ['letters', []],
  keyboard: ['a keyboard', ['neighbours']],
  misspellings: ['misspellings', ['known', 'bySound']],
  stopWords: ['stop words', ['has']],
  dictionary: ['a dictionary', ['has', 'readsAsWord', 'words', 'frequency']],
  spelling: ['spelling correction', ['corrector']],
  endings: ['endings', ['lettersOf']],
  inflection: ['inflections', ['baseForms', 'inflect']],
  articles: ['articles', ['has', 'agree', 'wrongIn']],
  partOfSpeech: ['parts of speech', ['tags']],
  synonyms: ['synonyms', ['inContext', 'lemmas', 'ofFirstMeaning', 'similarity']],
  antonyms: ['antonyms', ['areOpposed']],
  contractions: ['contractions', ['expand', 'contract']],
  entities: ['names and numbers', ['of', 'names', 'numberToWords', 'wordsToNumber']],
  negation: ['negation probes', ['probes', 'invariantProbes', 'templateProbes', 'labelPolarities', 'judges', 'denies']],
  phrases: ['phrases', ['sentences', 'instructions', 'fillers', 'hashtags', 'questions', 'clause']],
  registers: ['registers', ['rewrite']],
  everydayWords: ['everyday words', []],
  codeSwitching: ['words of other languages', ['translations', 'meaning']],
} as const satisfies { readonly [P in LanguagePart]: readonly [string, readonly (keyof NonNullable<Language[P]>)[]] };

const LANGUAGE_PARTS = Object.keys(PARTS) as readonly LanguagePart[];

/** Members of each part, to validate a language from a plugin. */
export const LANGUAGE_MEMBERS = Object.fromEntries(
  Object.entries(PARTS).map(([part, [, members]]) => [part, members]),
) as unknown as Readonly<Record<LanguagePart, readonly string[]>>;

/** Reason why something that needs these parts is unavailable in the language; undefined if it is available. */
export function missingParts(language: Language, needed: readonly LanguagePart[] = []): string | undefined {
  // In a fixed order, so that those with the same missing parts are reported together.
  const missing = LANGUAGE_PARTS.filter((part) => needed.includes(part) && language[part] === undefined);
  return missing.length === 0
    ? undefined
    : `needs ${missing.map((part) => PARTS[part][0]).join(', ')}, which ${language.name} does not offer`;
}

/**
 * A part that the caller has declared. Throws RobustError LANGUAGE_UNSUPPORTED if the language lacks it, which means that the caller did not
 * declare it.
 */
export function languagePart<P extends LanguagePart>(language: Language, part: P): NonNullable<Language[P]> {
  const found = language[part];
  if (found !== undefined) return found;
  throw new RobustError(`expected ${PARTS[part][0]} of the language, and ${language.name} offers none`, {
    code: 'LANGUAGE_UNSUPPORTED',
    hint: `Declare the requirement: language: ['${part}'].`,
  });
}
