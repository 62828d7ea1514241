/**
 * @file What an attack may ask of the language of the texts. A language offers what is known of it and leaves out the rest: an
 * attack, a defence or a detector that needs a part which the language lacks is left out by name, never run on another language.
 */
import type { Draft } from './draft.js';
import { UsageError } from './errors.js';
import type { NegationPart } from './negation.js';
import type { Random } from './random.js';

export interface Language {
  /** BCP 47: "en". */
  readonly code: string;
  /** As in a sentence: "English". */
  readonly name: string;
  /** Words, clitics and punctuation apart, in the text's own letters: what n-grams are made of. */
  tokenize(text: string): readonly string[];
  /** The letters that a random typo draws from, in both cases. Absent: no attack that types letters at random. */
  readonly letters?: readonly string[];
  /** Absent: no attack that hits the wrong key. */
  readonly keyboard?: Keyboard;
  /** Absent: typos are slips of the finger only. */
  readonly misspellings?: Misspellings;
  /** Whether a word stands for no thing, act or quality by itself, in any case. Absent: attacks may edit any word. */
  readonly stopWords?: { has(word: string): boolean };
  /** Absent: typos may spell another word, and defences that count words are refused. */
  readonly dictionary?: Dictionary;
  /** Absent: no defence that mends slips. */
  readonly spelling?: SpellingCorrection;
  /** What inflects at a word's end. Absent: slips of spelling may change any letter but the first and the last. */
  readonly endings?: { lettersOf(word: string): number };
  /** Absent: no attack on inflections. */
  readonly inflection?: Inflection;
  /** Absent: a swapped word changes no word before it, and none is checked. */
  readonly articles?: Articles;
  /** Absent: no attack that swaps words by their part of speech. */
  readonly partOfSpeech?: PartOfSpeechTagger;
  /** Absent: no attack that swaps synonyms, and no bound on what a word may mean. */
  readonly synonyms?: Thesaurus;
  /** Absent: no attack that promises not to swap opposites. */
  readonly antonyms?: { areOpposed(a: string, b: string): boolean };
  /** Absent: contractions stay. */
  readonly contractions?: Contractions;
  /** Names, numbers and dates. Absent: no attack that exchanges them. */
  readonly entities?: Entities;
  /** Absent: no probes of negation. */
  readonly negation?: NegationPart;
  /** Sentences and words that attacks add to a text. Absent: no attack that adds any. */
  readonly phrases?: Phrases;
  /** Words that anyone may write about anything: nouns and verbs of the kitchen, the garden, the weather. Absent: no attack that pads with them. */
  readonly everydayWords?: readonly string[];
  /** Its function words in languages that its readers also read. Absent: no attack that switches languages. */
  readonly codeSwitching?: CodeSwitching;
}

/** What a language may leave out. */
export type LanguagePart = Exclude<keyof Language, 'code' | 'name' | 'tokenize'>;

/** `touching`: the keys around it. `near`: TextAttack's wider list, for results that compare with its own. */
export type Reach = 'touching' | 'near';

export interface Keyboard {
  /** The keys that a finger may hit instead of a letter's, in the letter's case; none for what has no key. */
  neighbours(letter: string, reach: Reach): readonly string[];
}

export interface Misspellings {
  /** The known misspellings of a word, in its case. */
  known(word: string): readonly string[];
  /** A word written by ear, one slip each. */
  bySound(word: string): readonly string[];
}

export interface Dictionary {
  /** Is it a word, in any inflection and any case? */
  has(word: string): boolean;
  /** Would a reader take these letters for a word by themselves? A dictionary may list every letter and many a pair. */
  readsAsWord(letters: string): boolean;
  /** Base forms without spaces. */
  words(): readonly string[];
  /** Sentences that show how words are used. */
  examples(): readonly string[];
  /** How often words are used. @param vocabulary words a model knows as one piece, the frequent ones first. @param texts texts whose words count as often as they occur */
  frequency(vocabulary: Iterable<string>, texts: Iterable<string>): WordFrequency;
}

/** A rough prior, good for choosing between candidates and for nothing else. */
export interface WordFrequency {
  /** Uses, at least 0; 0 for a word that nothing lists. Lower case. */
  of(word: string): number;
  /** Whether people write the word often enough that it needs no correction. */
  isCommon(word: string): boolean;
  /** The words people write most. */
  everyday(): Set<string>;
  /** All words with uses. */
  words(): Set<string>;
}

/** What tells candidates apart by the words around them. */
export interface WordContext {
  knows(word: string): boolean;
  /** Natural log of p(word | the last words before it). */
  logProbability(word: string, before: readonly string[]): number;
}

export interface SpellingCorrection {
  /**
   * What mends slips word by word: a text that needs none stays equal to the last character. With a context, what reads the whole
   * text as it was likely meant; `unknown` then stands for words that nobody knows.
   */
  corrector(frequency: WordFrequency, context?: WordContext, unknown?: string): (text: string) => string;
}

export type WordClass = 'noun' | 'verb' | 'adjective' | 'adverb';

export interface Inflection {
  /** The dictionary forms a word may be an inflection of; none for a word that is not listed in the class. */
  baseForms(word: string, wordClass: WordClass): readonly string[];
  /** A base form in the form of a tag of the language's own; undefined where there is none. */
  inflect(base: string, tag: string): string | undefined;
}

export interface Articles {
  has(word: string): boolean;
  /** The draft with the article before slot `at`, if there is one, made to agree with the slot's word. */
  agree(draft: Draft, at: number): Draft;
  /** How many articles of a text disagree with the word behind them. */
  wrongIn(text: string): number;
}

/** The twelve universal tags (Petrov, Das and McDonald 2012), "." written PUNCT. */
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
  /** Tag of the language's own set; English: Penn Treebank, "NNS". */
  readonly penn: string;
  readonly universal: UniversalTag;
  /** Where a dictionary would list it; undefined for function words, numbers and punctuation. */
  readonly wordClass: WordClass | undefined;
}

export interface PartOfSpeechTagger {
  /** The part of speech of each slot of a draft: of its first word where it holds several, `X` where it is empty. */
  tags(draft: Draft): readonly PartOfSpeech[];
}

export interface Synonym {
  /** As it would stand in the slot: inflected, with the slot's capitals and clitic ("movie's"). */
  readonly text: string;
  /** Dictionary form. */
  readonly lemma: string;
  /** How likely the word means this and says it with that lemma, between 0 and 1. */
  readonly weight: number;
}

export interface Thesaurus {
  /** Words that could stand in slot `at` without a reader noticing, best first: of the meaning meant, inflected. */
  inContext(draft: Draft, at: number): readonly Synonym[];
  /** Every single word of every meaning of a word, uninflected. */
  lemmas(word: string): readonly string[];
  /** The single words of the meaning a base form has most often; none for inflected words. */
  ofFirstMeaning(word: string): readonly string[];
  /** How near two words are in meaning, between 0 and 1. */
  similarity(a: string, b: string): number;
}

export interface Contractions {
  /** Slot `at` with its contraction spelt out; undefined where it holds none. */
  expand(draft: Draft, at: number): Draft | undefined;
  /** Slots `at` and `at + 1` as one contraction, the second slot emptied; undefined where there is none. */
  contract(draft: Draft, at: number): Draft | undefined;
}

export type EntityKind = 'person' | 'place' | 'name' | 'number' | 'date';

export interface Entity {
  readonly kind: EntityKind;
  /** Slots from `first` to `last`, both included. */
  readonly first: number;
  readonly last: number;
}

export interface Entities {
  /** The entities of a draft, in order, none overlapping. */
  of(draft: Draft): readonly Entity[];
  /** The lists of names that one of them may be exchanged for another of: first names of women, countries. */
  readonly names: Readonly<Record<'person' | 'place', readonly WordList[]>>;
  /** Throws RangeError unless `n` is a whole number from 0 to below 10^12. */
  numberToWords(n: number): string;
  /** The number a phrase spells, or undefined if it spells none. */
  wordsToNumber(phrase: string): number | undefined;
}

/** A list of words in its own order. */
export interface WordList {
  readonly words: readonly string[];
  has(word: string): boolean;
}

export interface CodeSwitching {
  /** The word in other languages, lower case; none for what is no function word. */
  translations(word: string): readonly string[];
  /** The function word, lower case, that a word of another language translates; undefined for any other. */
  meaning(word: string): string | undefined;
}

export interface Phrases {
  /** Sentences that judge nothing and fit any text. */
  readonly sentences: readonly string[];
  /** What people write to language models; `{label}` stands for a label. */
  readonly instructions: readonly string[];
  /** Words that say that something is said, and may stand before a finite verb. */
  readonly fillers: readonly string[];
  /** Hashtags that name no opinion, without their sign. */
  readonly hashtags: readonly string[];
  /** A clause that says nothing, made of words drawn anew: subordinate, or the same words as a main clause. */
  clause(random: Random, kind: 'subordinate' | 'main'): string;
}

/** How a reason names each part, and what a language that offers it must hold. */
const PARTS = {
  letters: ['letters', []],
  keyboard: ['a keyboard', ['neighbours']],
  misspellings: ['misspellings', ['known', 'bySound']],
  stopWords: ['stop words', ['has']],
  dictionary: ['a dictionary', ['has', 'readsAsWord', 'words', 'examples', 'frequency']],
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
  phrases: ['phrases', ['sentences', 'instructions', 'fillers', 'hashtags', 'clause']],
  everydayWords: ['everyday words', []],
  codeSwitching: ['words of other languages', ['translations', 'meaning']],
} as const satisfies { readonly [P in LanguagePart]: readonly [string, readonly (keyof NonNullable<Language[P]>)[]] };

const LANGUAGE_PARTS = Object.keys(PARTS) as readonly LanguagePart[];

/** What each part holds, for a check of a language from elsewhere. */
export const LANGUAGE_MEMBERS = Object.fromEntries(
  Object.entries(PARTS).map(([part, [, members]]) => [part, members]),
) as unknown as Readonly<Record<LanguagePart, readonly string[]>>;

/** Why something that needs these parts cannot be had in the language; undefined where it can. */
export function missingParts(language: Language, needed: readonly LanguagePart[] = []): string | undefined {
  // In one order, so that those who lack the same are told of together.
  const missing = LANGUAGE_PARTS.filter((part) => needed.includes(part) && language[part] === undefined);
  return missing.length === 0
    ? undefined
    : `needs ${missing.map((part) => PARTS[part][0]).join(', ')}, which ${language.name} does not offer`;
}

/** A part that whoever asks for it has declared. Throws UsageError LANGUAGE_LACKS where it was not, and the language lacks it. */
export function languagePart<P extends LanguagePart>(language: Language, part: P): NonNullable<Language[P]> {
  const found = language[part];
  if (found !== undefined) return found as NonNullable<Language[P]>;
  throw new UsageError(`expected ${PARTS[part][0]} of the language, and ${language.name} offers none`, {
    code: 'LANGUAGE_LACKS',
    hint: `Whatever asks for it must say so: language: ['${part}'].`,
  });
}
