/** @file The spaces of edits that can be checked exhaustively, by name. */
import { Draft } from '../core/draft.js';
import { type Language, type LanguagePart, languagePart } from '../core/language.js';
import type { TextEdit } from '../core/text-edit.js';
import { withArticleAgreement } from '../language/article-agreement.js';
import { caseOf } from '../language/character-edits.js';
import { characterPlaces } from './characters.js';
import { type EditPlace, editBetween } from './edits.js';
import { GAPS, layoutsOf, lookAlikesOf, typosOf } from './word-edits.js';

export interface PlaceTerms {
  readonly language: Language;
  /** Characters that may be inserted or put in place of others. */
  readonly alphabet: readonly string[];
  /** List edits that give the same text, too, for pairs of edits. */
  readonly repeats: boolean;
}

interface EditSpace {
  /** One edit in a few words. */
  readonly edit: string;
  readonly language?: readonly LanguagePart[];
  /** The places of a text, each text of the space once unless `repeats` says otherwise. */
  places(text: string, terms: PlaceTerms): Iterable<EditPlace>;
}

/** A place for each word, with its rewrites. */
const eachWord = (rewrites: (word: string, language: Language) => Iterable<string>): EditSpace['places'] =>
  function* (text, { language }) {
    for (const { word, start, end } of wordsIn(text))
      yield rewritePlace(start, end, word, () => rewrites(word, language));
  };

function wordsIn(text: string): { word: string; start: number; end: number }[] {
  const { words, spans } = Draft.of(text);
  return words.map((word, at) => ({ word, start: spans[2 * at] as number, end: spans[2 * at + 1] as number }));
}

/** A place at which `old` may become other texts, each once. */
const rewritePlace = (start: number, end: number, old: string, others: () => Iterable<string>): EditPlace => ({
  start,
  end,
  *edits() {
    for (const other of new Set(others())) if (other !== old) yield { start, end, text: other };
  },
});

function* layoutPlaces(text: string, terms: PlaceTerms): Iterable<EditPlace> {
  yield* eachWord(layoutsOf)(text, terms);
  const { upper, lower } = caseOf(terms.language);
  for (const { 0: blanks, index } of text.matchAll(/(?<=\S)\s+(?=\S)/g))
    yield rewritePlace(index, index + blanks.length, blanks, () => GAPS);
  yield rewritePlace(0, text.length, text, () => [
    upper(text),
    lower(text),
    lower(text).replaceAll(/(?<!\p{L})\p{L}/gu, upper),
  ]);
}

function* synonymPlaces(text: string, { language }: PlaceTerms): Iterable<EditPlace> {
  const draft = Draft.of(text);
  const { inContext } = languagePart(language, 'synonyms');
  for (const [slot, { start, end }] of wordsIn(text).entries()) {
    yield {
      start,
      end,
      *edits(): Iterable<TextEdit> {
        const texts = new Set<string>();
        for (const { text: synonym } of inContext(draft, slot))
          texts.add(withArticleAgreement(draft.replace(slot, synonym), slot, language).text);
        for (const each of texts) if (each !== text) yield editBetween(text, each);
      },
    };
  }
}

export const SPACES = {
  characters: {
    edit: 'one character inserted, deleted, replaced or swapped with the next',
    places: (text, { alphabet, repeats }) => characterPlaces(text, alphabet, repeats),
  },
  typos: {
    edit: 'one typing or spelling error that makes no other word',
    language: ['keyboard'],
    places: eachWord(typosOf),
  },
  synonyms: { edit: 'one word replaced by a synonym', language: ['synonyms'], places: synonymPlaces },
  'look-alikes': { edit: 'one letter or word in look-alike characters', places: eachWord(lookAlikesOf) },
  layout: {
    edit: 'one blank, mark or invisible character, or one word or the text in another case',
    places: layoutPlaces,
  },
} as const satisfies Record<string, EditSpace>;

export type SpaceName = keyof typeof SPACES;

export const SPACE_NAMES = Object.keys(SPACES) as [SpaceName, ...SpaceName[]];

/** The places of several spaces, one space after the other. */
export function* placesOf(spaces: readonly SpaceName[], text: string, terms: PlaceTerms): Generator<EditPlace> {
  for (const name of spaces) yield* (SPACES[name] as EditSpace).places(text, terms);
}

/** The parts of the language that the spaces need. */
export const languageOf = (spaces: readonly SpaceName[]): LanguagePart[] => [
  ...new Set(spaces.flatMap((name) => (SPACES[name] as EditSpace).language ?? [])),
];
