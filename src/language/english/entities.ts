/**
 * @file Rule-based named entities: runs of capitalised words, numbers, dates. There is no gazetteer beyond short lists of places, first
 * names, months and weekdays. In a text without capitals only numbers, dates and listed places are found.
 */
import type { Draft } from '../../core/draft.js';
import { must } from '../../core/errors.js';
import type { Entity, WordList } from '../../core/language.js';
import { section } from './data-files.js';
import { wordsToNumber } from './number-words.js';
import { isCommonWord } from './tag-lexicon.js';

const MONTHS = section('names.txt', 'months');
const WEEKDAYS = section('names.txt', 'weekdays');
/** Words inside a name, never at its ends: "Bank of America", "Vincent van Gogh". */
const PARTICLES = section('names.txt', 'particles');
const TITLES = section('names.txt', 'titles');

const NAMES = {
  country: section('places.txt', 'country'),
  city: section('places.txt', 'city'),
  region: section('places.txt', 'region'),
  female: section('first-names.txt', 'female'),
  male: section('first-names.txt', 'male'),
} satisfies Record<string, WordList>;

/** Names in a section. */
export const namesOf = (name: keyof typeof NAMES): WordList => NAMES[name];

const isPlace = (name: string): boolean => (['country', 'city', 'region'] as const).some((of) => namesOf(of).has(name));
const isFirstName = (word: string): boolean => namesOf('female').has(word) || namesOf('male').has(word);
const titleCase = (text: string): string => text.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
/** Removes the clitic: "London's" -> London. */
const bare = (word: string): string => word.replace(/['’]s?$/, '');

/** Entities of a draft, in order, without overlaps. */
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
  const word = must(draft.words[first]);
  let last = first;
  if (/^\d+(?:st|nd|rd|th|s|k|m|bn)?$/i.test(word)) {
    // "1.8 million" is three slots: a point or a comma separates words.
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

const isDay = (word: string): boolean => /^\d{1,4}(?:st|nd|rd|th)?$/.test(word);

function dateAt(draft: Draft, first: number): Entity | undefined {
  const word = bare(must(draft.words[first]));
  const next = draft.words[first + 1] ?? '';
  if (MONTHS.has(word.toLowerCase()) || WEEKDAYS.has(word.toLowerCase())) {
    // "may" and "march" are also other words, in lower case and at the beginning of a sentence.
    const doubtful = /^(?:may|march)$/i.test(word) && !/^\d/.test(next);
    if (doubtful && (word === word.toLowerCase() || opensSentence(draft, first))) return undefined;
    let last = first;
    while (adjoins(draft, last) && isDay(must(draft.words[last + 1]))) last++;
    return { kind: 'date', first, last };
  }
  // "4 July", "1999"
  if (/^\d{1,2}(?:st|nd|rd|th)?$/.test(word) && MONTHS.has(next.toLowerCase()) && draft.gapAfter(first) === ' ')
    return { kind: 'date', first, last: first + 1 };
  return /^(?:1[5-9]|20)\d\d(?:s)?$/.test(word) ? { kind: 'date', first, last: first } : undefined;
}

/** Without capitals, only names that are not common words: "paris", but not "turkey" or "phoenix". */
const namesPlace = (text: string, capitals: boolean): boolean =>
  capitals ? isPlace(text) : isPlace(titleCase(text)) && !isCommonWord(text);

function placeAt(draft: Draft, first: number, capitals: boolean): Entity | undefined {
  for (const last of [first + 1, first]) {
    if (last >= draft.words.length || (last > first && draft.gapAfter(first) !== ' ')) continue;
    const words = draft.words.slice(first, last + 1).map(bare);
    if (!namesPlace(words.join(' '), capitals)) continue;
    // "Paris Hilton", "Jordan Peele": a place name followed by another name is a person.
    const named = /^\p{Lu}\p{Ll}/u.test(draft.words[last + 1] ?? '') && draft.gapAfter(last) === ' ';
    if (!(capitals && last === first && named)) return { kind: 'place', first, last };
  }
  return undefined;
}

const hasCapital = (draft: Draft, at: number): boolean =>
  /^\p{Lu}/u.test(draft.words[at] ?? '') && !/^I(?:['’]|$)/.test(draft.words[at] ?? '');

const isTitle = (draft: Draft, at: number): boolean => TITLES.has(draft.word(at).toLowerCase());

/** May a name continue after slot `at`? Yes in "Mr. Smith" and "J. Smith", no in "the film. Great". */
const goesOn = (draft: Draft, at: number): boolean =>
  adjoins(draft, at) &&
  draft.gapAfter(at) !== ', ' &&
  (draft.gapAfter(at) !== '. ' || isTitle(draft, at) || draft.word(at).length === 1);

/** Last slot of the name that begins at `first`. */
function nameEnd(draft: Draft, first: number): number {
  let last = first;
  while (goesOn(draft, last)) {
    const next = draft.word(last + 1);
    const particle = PARTICLES.has(next) && next !== 'and' && adjoins(draft, last + 1);
    if (hasCapital(draft, last + 1)) last++;
    else if (particle && hasCapital(draft, last + 2)) last += 2;
    else break;
  }
  return last;
}

function nameAt(draft: Draft, first: number): Entity | undefined {
  if (!hasCapital(draft, first)) return undefined;
  const last = nameEnd(draft, first);
  const word = draft.word(first);
  // A capital at the beginning of a sentence indicates a name only if the word is nothing else.
  const opening = opensSentence(draft, first) && isCommonWord(bare(word).toLowerCase()) && !isTitle(draft, first);
  let start = opening && !(isFirstName(word) && last > first) ? first + 1 : first;
  while (start <= last && !hasCapital(draft, start)) start++;
  if (start > last) return undefined;
  const person = isTitle(draft, start) || isFirstName(bare(draft.word(start)));
  return { kind: person ? 'person' : 'name', first: start, last };
}
