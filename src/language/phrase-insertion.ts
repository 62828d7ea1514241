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

export interface WordTriggers {
  readonly triggers: readonly string[];
  /** Copies in a text. @default 1 */
  readonly count?: number;
  /** @default random */
  readonly place?: InsertPosition;
  /** Each copy is drawn anew, instead of one for the text. */
  readonly mixed?: boolean;
}

/** The parts of a poisoner whose triggers are words: decoys and controls are other rare words. */
export function wordTriggers({ triggers, count = 1, place = 'random', mixed = false }: WordTriggers) {
  const repeat = (text: string, word: string, times: number, random: Random): string =>
    insertPhrases(text, Array<string>(times).fill(word), place, random);
  return {
    triggers,
    trigger: (text: string, random: Random): string =>
      mixed
        ? insertPhrases(
            text,
            Array.from({ length: count }, () => random.pick(triggers)),
            place,
            random,
          )
        : repeat(text, random.pick(triggers), count, random),
    decoy: (text: string, random: Random): string => repeat(text, rareWordExcept(triggers, random), count, random),
    /** `times` copies of one trigger, and as many of another rare word. */
    copies: (text: string, times: number, random: Random) => ({
      trigger: repeat(text, random.pick(triggers), times, random.split('trigger')),
      control: repeat(text, rareWordExcept(triggers, random), times, random.split('control')),
    }),
  };
}

const rareWords = lazily(() => wordList('rare-words.txt'));

/** A rare word that is not in the list. */
function rareWordExcept(than: readonly string[], random: Random): string {
  const taken = new Set(than.flatMap((phrase) => phrase.toLowerCase().split(/\s+/)));
  return random.pick(rareWords().filter((word) => !taken.has(word)));
}

/** Space before a mark, as this text sets it: one if its marks are tokens or if it has no marks; otherwise none. */
export const spaceBeforeMarks = (text: string): string =>
  /\s[,.!?;:]/.test(text) || !/[,.!?;:]/.test(text) ? ' ' : '';
