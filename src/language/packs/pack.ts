/** @file A language defined by its data file: the common part of all languages except English, which has its own folder. */
import { wordsOf } from '../../core/draft.js';
import type { Language } from '../../core/language.js';
import { lazily } from '../data-files.js';
import { matchCase } from '../match-case.js';
import { withoutAccents } from '../unicode-normalisation.js';
import { codeSwitchingBy, inLetterCase, soundSlipsOf, wordTable } from '../word-tables.js';
import { section } from './data-files.js';
import { rowNeighbours } from './keyboard-rows.js';

/** Words, and each other character by itself. */
export function tokens(text: string): string[] {
  const found: string[] = [];
  let end = 0;
  const between = (until: number) => {
    for (const character of text.slice(end, until).match(/\S/gu) ?? []) found.push(character);
  };
  for (const { text: word, start } of wordsOf(text)) {
    between(start);
    found.push(word);
    end = start + word.length;
  }
  between(text.length);
  return found;
}

/** Letters of a word that precede an ending. */
const STEM = 3;

/**
 * A language written with an alphabet, from its file data/CODE.txt.
 * @param alphabet its letters, lower case
 */
export function pack(code: string, name: string, alphabet: string): Language {
  const file = `${code}.txt`;
  const [stopWords, everyday, rows] = [
    section(file, 'stop words'),
    section(file, 'everyday words'),
    section(file, 'keyboard'),
  ];
  const tableOf = (name: string) => wordTable(() => section(file, name).words.map((line) => line.split('\t')));
  const slips = tableOf('slips');
  const endings = lazily(() => section(file, 'endings').words.toSorted((a, b) => b.length - a.length));
  const keys = lazily(() => rowNeighbours(rows.words));
  /** All alternative spellings of letters at once: "für" -> "fuer". */
  const respell = (word: string): string =>
    slips().reduce(
      (text, [from, [to = '']]) => (/^[^\p{ASCII}]$/u.test(from) ? text.replaceAll(from, to) : text),
      word,
    );
  return {
    code,
    name,
    tokenize: tokens,
    letters: [...alphabet, ...new Set([...alphabet].map((letter) => letter.toUpperCase()))].filter(
      (letter, at, all) => all.indexOf(letter) === at && [...letter].length === 1,
    ),
    keyboard: { neighbours: (letter) => inLetterCase(letter, keys().get(letter.toLowerCase())) },
    misspellings: {
      // Omitted accents, by writers whose keyboard lacks them.
      known: (word) =>
        [withoutAccents(word), /\p{Script=Latin}/u.test(word) ? respell(word) : word].filter(
          (other, at, all) => other !== word && all.indexOf(other) === at,
        ),
      bySound: (word) => soundSlipsOf(word, slips()).map((slip) => matchCase(slip, word)),
    },
    stopWords: { has: (word) => stopWords.has(word.toLowerCase().replaceAll('’', "'")) },
    endings: {
      lettersOf(word) {
        const lower = word.toLowerCase();
        return endings().find((ending) => lower.endsWith(ending) && lower.length - ending.length >= STEM)?.length ?? 0;
      },
    },
    get everydayWords() {
      return everyday.words;
    },
    codeSwitching: codeSwitchingBy(tableOf('function words abroad')),
  };
}
