/** @file A language defined by its data file: the common part of all languages except English, which has its own folder. */
import { wordsOf } from '../../core/draft.js';
import type { Language } from '../../core/language.js';
import { lazily } from '../data-files.js';
import { matchCase } from '../match-case.js';
import { withoutAccents } from '../unicode-normalisation.js';
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
  const slips = lazily(() =>
    section(file, 'slips').words.map((line) => {
      const [from, to] = line.split('\t') as [string, string];
      return [from, to.split(' ')] as const;
    }),
  );
  const abroad = lazily(
    () =>
      new Map(
        section(file, 'function words abroad').words.map((line) => {
          const [word, others] = line.split('\t') as [string, string];
          return [word, others.split(' ')] as const;
        }),
      ),
  );
  const home = lazily(() => new Map([...abroad()].flatMap(([word, others]) => others.map((other) => [other, word]))));
  const endings = lazily(() => section(file, 'endings').words.toSorted((a, b) => b.length - a.length));
  const keys = lazily(() => rowNeighbours(rows.words));
  /** All alternative spellings of letters at once: "für" -> "fuer". */
  const respell = (word: string): string =>
    slips().reduce((text, [from, [to]]) => (/^[^\p{ASCII}]$/u.test(from) ? text.replaceAll(from, to!) : text), word);
  return {
    code,
    name,
    tokenize: tokens,
    letters: [...alphabet, ...new Set([...alphabet].map((letter) => letter.toUpperCase()))].filter(
      (letter, at, all) => all.indexOf(letter) === at && [...letter].length === 1,
    ),
    keyboard: {
      neighbours(letter) {
        const lower = keys().get(letter.toLowerCase()) ?? [];
        return letter === letter.toLowerCase() ? lower : lower.map((key) => key.toUpperCase());
      },
    },
    misspellings: {
      // Omitted accents, by writers whose keyboard lacks them.
      known: (word) =>
        [withoutAccents(word), /\p{Script=Latin}/u.test(word) ? respell(word) : word].filter(
          (other, at, all) => other !== word && all.indexOf(other) === at,
        ),
      bySound(word) {
        const lower = word.toLowerCase();
        const found: string[] = [];
        for (const [from, others] of slips()) {
          for (let at = lower.indexOf(from, 1); at !== -1; at = lower.indexOf(from, at + 1)) {
            for (const to of others)
              found.push(matchCase(lower.slice(0, at) + to + lower.slice(at + from.length), word));
          }
        }
        return found;
      },
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
    codeSwitching: {
      translations: (word) => abroad().get(word.toLowerCase()) ?? [],
      meaning: (word) => home().get(word.toLowerCase()),
    },
  };
}
