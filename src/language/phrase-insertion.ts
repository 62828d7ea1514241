/** @file Words or sentences put into a text, between its words. */
import type { Random } from '../core/random.js';
import { lazily, wordList } from './data-files.js';

export const INSERT_POSITIONS = ['random', 'start', 'end'] as const;
export type InsertPosition = (typeof INSERT_POSITIONS)[number];

/** Words of a text among which a random place is drawn, so that a model which cuts long texts still sees what was put in. */
const INSERT_WITHIN_WORDS = 100;

/** The text with `phrase` between two of its words, or at one of its ends. Each gap is equally likely where the place is random. */
export function insertPhrase(text: string, phrase: string, place: InsertPosition, random: Random): string {
  const starts = Array.from(text.matchAll(/\S+/g), (match) => match.index);
  if (starts.length === 0) return phrase;
  if (place === 'start') return `${phrase} ${text}`;
  const gaps = Math.min(starts.length, INSERT_WITHIN_WORDS) + 1;
  const gap = place === 'end' ? starts.length : random.int(gaps);
  const at = starts[gap];
  return at === undefined ? `${text.trimEnd()} ${phrase}` : `${text.slice(0, at)}${phrase} ${text.slice(at)}`;
}

/** The text with each of the phrases put in, one after the other. */
export const insertPhrases = (
  text: string,
  phrases: readonly string[],
  place: InsertPosition,
  random: Random,
): string => phrases.reduce((made, phrase) => insertPhrase(made, phrase, place, random), text);

/** A poisoner's `copies`: so often one of the triggers, and so often one rare word that is none of them, each copy at a place of its own. */
export const wordCopies =
  (triggers: readonly string[], place: InsertPosition) =>
  (text: string, count: number, random: Random): { trigger: string; control: string } => {
    const repeated = (word: string, draw: Random): string =>
      insertPhrases(text, Array<string>(count).fill(word), place, draw);
    return {
      trigger: repeated(random.pick(triggers), random.split('trigger')),
      control: repeated(rareWordExcept(triggers, random), random.split('control')),
    };
  };

const rareWords = lazily(() => wordList('rare-words.txt'));

/** A rare word that is none of these. */
export function rareWordExcept(than: readonly string[], random: Random): string {
  const taken = new Set(than.flatMap((phrase) => phrase.toLowerCase().split(/\s+/)));
  return random.pick(rareWords().filter((word) => !taken.has(word)));
}
