/** @file Inserts words or sentences between the words of a text. */
import type { Random } from '../core/random.js';
import { lazily, wordList } from './data-files.js';

export const INSERT_POSITIONS = ['random', 'start', 'end'] as const;
export type InsertPosition = (typeof INSERT_POSITIONS)[number];

/** Random places are within this many words from the start, so that a model that truncates long texts still sees the insertion. */
const INSERT_WITHIN_WORDS = 100;

/** The text with `phrase` between two of its words, or at one of its ends. For a random place, each gap is equally probable. */
export function insertPhrase(text: string, phrase: string, place: InsertPosition, random: Random): string {
  const starts = Array.from(text.matchAll(/\S+/g), (match) => match.index);
  if (starts.length === 0) return phrase;
  if (place === 'start') return `${phrase} ${text}`;
  const gaps = Math.min(starts.length, INSERT_WITHIN_WORDS) + 1;
  const gap = place === 'end' ? starts.length : random.int(gaps);
  const at = starts[gap];
  return at === undefined ? `${text.trimEnd()} ${phrase}` : `${text.slice(0, at)}${phrase} ${text.slice(at)}`;
}

/** The text with each phrase inserted, one after the other. */
export const insertPhrases = (
  text: string,
  phrases: readonly string[],
  place: InsertPosition,
  random: Random,
): string => phrases.reduce((made, phrase) => insertPhrase(made, phrase, place, random), text);

/** A poisoner's `copies`: `count` copies of one trigger, and as many of another rare word, each at its own place. */
export const wordCopies =
  (triggers: readonly string[], place: InsertPosition) =>
  (text: string, count: number, random: Random): { trigger: string; control: string } => {
    const repeat = (word: string, draw: Random): string =>
      insertPhrases(text, Array<string>(count).fill(word), place, draw);
    return {
      trigger: repeat(random.pick(triggers), random.split('trigger')),
      control: repeat(rareWordExcept(triggers, random), random.split('control')),
    };
  };

const rareWords = lazily(() => wordList('rare-words.txt'));

/** A rare word that is not in the list. */
export function rareWordExcept(than: readonly string[], random: Random): string {
  const taken = new Set(than.flatMap((phrase) => phrase.toLowerCase().split(/\s+/)));
  return random.pick(rareWords().filter((word) => !taken.has(word)));
}

/** Space before a mark, as this text sets it: one if its marks are tokens or if it has no marks; otherwise none. */
export const spaceBeforeMarks = (text: string): string =>
  /\s[,.!?;:]/.test(text) || !/[,.!?;:]/.test(text) ? ' ' : '';
