/**
 * @file Named entities by rule: runs of capitalised words, numbers, dates. No gazetteer but short lists of places, first
 * names, months and weekdays; in a text without capitals only numbers, dates and listed places are found.
 */
import type { Draft } from '../../core/draft.js';
import type { Entity, WordList } from '../../core/language.js';
import { section } from './data-files.js';
import { wordsToNumber } from './number-words.js';
import { isCommonWord } from './tag-lexicon.js';

const MONTHS = section('names.txt', 'months');
const WEEKDAYS = section('names.txt', 'weekdays');
/** Stand inside a name, never at its ends: "Bank of America", "Vincent van Gogh". */
const PARTICLES = section('names.txt', 'particles');
const TITLES = section('names.txt', 'titles');

const NAMES = {
  country: section('places.txt', 'country'),
  city: section('places.txt', 'city'),
  region: section('places.txt', 'region'),
  female: section('first-names.txt', 'female'),
  male: section('first-names.txt', 'male'),
} satisfies Record<string, WordList>;

/** The names of a section. */
export const namesOf = (name: keyof typeof NAMES): WordList => NAMES[name];

const isPlace = (name: string): boolean => (['country', 'city', 'region'] as const).some((of) => namesOf(of).has(name));
const isFirstName = (word: string): boolean => namesOf('female').has(word) || namesOf('male').has(word);
const titleCase = (text: string): string => text.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
/** Without the clitic: "London's" -> London. */
const bare = (word: string): string => word.replace(/['’]s?$/, '');

/** The entities of a draft, in order, none overlapping. */
export function entitiesOf(draft: Draft): Entity[] {
  const { words } = draft;
  const shouted = !/\p{Ll}/u.test(draft.text);
  const capitals = !shouted && words.some((word) => /^\p{Lu}/u.test(word));
  const entities: Entity[] = [];
  for (let at = 0; at < words.length; ) {
    const entity =
      dateAt(draft, at) ??
      numberAt(draft, at) ??
      placeAt(draft, at, capitals) ??
      (capitals ? nameAt(draft, at) : undefined);
    if (entity !== undefined) entities.push(entity);
    at = (entity?.last ?? at) + 1;
  }
  return entities;
}

const adjoins = (draft: Draft, at: number): boolean =>
  at + 1 < draft.words.length && /^(?: |, |\. )$/.test(draft.gapAfter(at));
const opensSentence = (draft: Draft, at: number): boolean => at === 0 || /[.!?:"“(]\s*$/.test(draft.gapAfter(at - 1));

function numberAt(draft: Draft, first: number): Entity | undefined {
  const word = draft.words[first] as string;
  let last = first;
  if (/^\d+(?:st|nd|rd|th|s|k|m|bn)?$/i.test(word)) {
    // "1.8 million" is three slots: a point or a comma parts words.
    while (/^[.,]$/.test(draft.gapAfter(last)) && /^\d+$/.test(draft.words[last + 1] ?? '')) last++;
    if (draft.gapAfter(last) === ' ' && /^(?:hundred|thousand|million|billion)$/i.test(draft.words[last + 1] ?? ''))
      last++;
    return { kind: 'number', first, last };
  }
  if (wordsToNumber(word) === undefined || /^(?:one|and)$/i.test(word)) return undefined;
  const phrase = (to: number): string => draft.words.slice(first, to + 1).join(' ');
  while (last + 1 < draft.words.length && draft.gapAfter(last) === ' ' && wordsToNumber(phrase(last + 1)) !== undefined)
    last++;
  return { kind: 'number', first, last };
}

function dateAt(draft: Draft, first: number): Entity | undefined {
  const word = bare(draft.words[first] as string);
  const month =
    MONTHS.has(word.toLowerCase()) && (!/^(?:march|may)$/.test(word) || /^\d/.test(draft.words[first + 1] ?? ''));
  if (!month && !WEEKDAYS.has(word.toLowerCase())) {
    // "4 July", "1999"
    const next = draft.words[first + 1] ?? '';
    if (/^\d{1,2}(?:st|nd|rd|th)?$/.test(word) && MONTHS.has(next.toLowerCase()) && draft.gapAfter(first) === ' ')
      return { kind: 'date', first, last: first + 1 };
    return /^(?:1[5-9]|20)\d\d(?:s)?$/.test(word) ? { kind: 'date', first, last: first } : undefined;
  }
  if (/^(?:may|march)$/i.test(word) && opensSentence(draft, first) && !/^\d/.test(draft.words[first + 1] ?? ''))
    return undefined;
  let last = first;
  while (adjoins(draft, last) && /^\d{1,4}(?:st|nd|rd|th)?$/.test(draft.words[last + 1] as string)) last++;
  return { kind: 'date', first, last };
}

function placeAt(draft: Draft, first: number, capitals: boolean): Entity | undefined {
  for (const length of [2, 1]) {
    const last = first + length - 1;
    if (last >= draft.words.length || (length === 2 && draft.gapAfter(first) !== ' ')) continue;
    const text = draft.words
      .slice(first, last + 1)
      .map(bare)
      .join(' ');
    // Without capitals only what is no common word besides: "paris", not "turkey" or "phoenix".
    if (isPlace(capitals ? text : titleCase(text)) && (capitals || !isCommonWord(text))) {
      // "Paris Hilton", "Jordan Peele": a place's name followed by another name is a person's.
      const next = draft.words[last + 1] ?? '';
      if (capitals && length === 1 && /^\p{Lu}\p{Ll}/u.test(next) && draft.gapAfter(last) === ' ') continue;
      return { kind: 'place', first, last };
    }
  }
  return undefined;
}

function nameAt(draft: Draft, first: number): Entity | undefined {
  const capital = (at: number): boolean =>
    /^\p{Lu}/u.test(draft.words[at] ?? '') && !/^I(?:['’]|$)/.test(draft.words[at] ?? '');
  if (!capital(first)) return undefined;
  let last = first;
  for (;;) {
    if (!adjoins(draft, last) || draft.gapAfter(last) === ', ') break;
    // "Mr. Smith", but "the film. Great"
    if (
      draft.gapAfter(last) === '. ' &&
      !TITLES.has(draft.word(last).toLowerCase()) &&
      (draft.words[last] as string).length > 1
    )
      break;
    if (capital(last + 1)) last++;
    else if (
      PARTICLES.has(draft.words[last + 1] as string) &&
      draft.words[last + 1] !== 'and' &&
      adjoins(draft, last + 1) &&
      capital(last + 2)
    )
      last += 2;
    else break;
  }
  // A capital that opens a sentence is no sign of a name unless the word is no other.
  let start = first;
  if (
    opensSentence(draft, first) &&
    isCommonWord(bare(draft.words[first] as string).toLowerCase()) &&
    !TITLES.has(draft.word(first).toLowerCase())
  ) {
    const firstName = isFirstName(draft.words[first] as string) && last > first;
    if (!firstName) start = first + 1;
    while (start <= last && !capital(start)) start++;
    if (start > last) return undefined;
  }
  const person = TITLES.has(draft.word(start).toLowerCase()) || isFirstName(bare(draft.words[start] as string));
  return { kind: person ? 'person' : 'name', first: start, last };
}
