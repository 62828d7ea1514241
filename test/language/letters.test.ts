import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { table as latinTable } from '../../src/language/data-files.js';
import { table, wordList } from '../../src/language/english/data-files.js';
import { isEnglishWord } from '../../src/language/english/dictionary.js';
import { neighbourKeys } from '../../src/language/english/keyboard.js';
import { misspellings, soundSlips } from '../../src/language/english/misspellings.js';
import { isStopWord } from '../../src/language/english/stop-words.js';
import {
  dropped,
  graphemesOf,
  homoglyph,
  inserted,
  leetSigns,
  substituted,
  swapped,
  writtenApart,
} from '../../src/plugin.js';
import { cases } from './cases.js';

test.each([
  ['idiot', ['i', 'd', 'i', 'o', 't']],
  ['nai\u0308ve', ['n', 'a', 'i\u0308', 'v', 'e']],
  ['naïve', ['n', 'a', 'ï', 'v', 'e']],
  ['go\u200bod', ['g', 'o\u200b', 'o', 'd']],
  ['𝒶b', ['𝒶', 'b']],
  ['', []],
])('the letters of %j', (word, letters) => {
  expect(graphemesOf(word)).toEqual(letters);
  expect(graphemesOf(word).join('')).toBe(word);
});

test('edits of letters', () => {
  const letters = graphemesOf('idiot');
  expect([swapped(letters, 2), dropped(letters, 2), inserted(letters, 2, 'f'), substituted(letters, 3, 'i')]).toEqual([
    'idoit',
    'idot',
    'idfiot',
    'idiit',
  ]);
});

test.each(cases<[string, boolean]>('letters', 'words'))(
  '%s is written in letters that keep their shapes in another order: %s',
  (word, apart) => {
    expect(writtenApart(word)).toBe(apart);
  },
);

describe('keyboard', () => {
  test('keys come in the case of the letter; no key, no neighbours', () => {
    expect(neighbourKeys('q', 'touching')).toEqual(['w', 'a']);
    expect(neighbourKeys('Q', 'near')).toEqual(['W', 'A', 'S']);
    expect(neighbourKeys('é', 'near')).toEqual([]);
    expect(neighbourKeys('5', 'near')).toEqual([]);
  });
  test('to touch is mutual, and every letter touches another', () => {
    for (const letter of 'abcdefghijklmnopqrstuvwxyz') {
      expect(neighbourKeys(letter, 'touching').length).toBeGreaterThan(1);
      for (const key of neighbourKeys(letter, 'touching')) expect(neighbourKeys(key, 'touching')).toContain(letter);
    }
  });
});

describe('look-alikes', () => {
  test('doubles are other characters, one a letter, of another alphabet except the script g and the numeral fifty', () => {
    for (const [latin, double, name] of latinTable('homoglyphs.tsv') as [string, string, string][]) {
      expect([latin.length, double.length]).toEqual([1, 1]);
      expect(homoglyph(latin)).toBe(double);
      expect(name).toMatch(/^(CYRILLIC|GREEK|ARMENIAN|LATIN SMALL LETTER SCRIPT|SMALL ROMAN)/);
      if (!/^(LATIN|SMALL ROMAN)/.test(name))
        expect(double).toMatch(/\p{Script=Cyrillic}|\p{Script=Greek}|\p{Script=Armenian}/u);
    }
    expect(homoglyph('k')).toBeUndefined();
  });

  const confusables = '../shared/data/lexicon/confusables.json';
  test.skipIf(!existsSync(confusables))('Unicode calls each pair confusable (absent: ../shared)', () => {
    const known: Record<string, { c: string }[]> = JSON.parse(readFileSync(confusables, 'utf8'));
    const alike = (a: string) => new Set([a, ...(known[a] ?? []).map(({ c }) => c)]);
    const unknown = (latinTable('homoglyphs.tsv') as [string, string][]).filter(
      ([latin, double]) => ![...alike(latin)].some((one) => alike(double).has(one)),
    );
    expect(unknown).toEqual([]);
  });

  test('signs for letters, in any case', () => {
    expect([leetSigns('A'), leetSigns('x')]).toEqual([['@', '4'], []]);
  });
});

describe('misspellings', () => {
  test('in the case of the word', () => {
    expect(misspellings('Recommend')).toEqual(['Recomend', 'Reccomend']);
    expect(misspellings('WEIRD')).toEqual(['WIERD']);
    expect(misspellings('constructor')).toEqual([]);
  });
  test('by ear, never in the first letter', () => {
    expect(soundSlips('idiot')).toEqual(['ideot', 'idoot', 'idiat', 'idiit', 'idiut']);
    expect(soundSlips('Photo')).toContain('Phota');
    expect(soundSlips('a')).toEqual([]);
  });
  test('the table: each wrong spelling keeps the first letter and is no word', () => {
    for (const [right, wrong] of table('misspellings.tsv') as [string, string][]) {
      for (const form of wrong.split(' ')) {
        expect(form).toMatch(/^[a-z]+$/);
        expect(form[0], form).toBe(right[0]);
        expect(isEnglishWord(form), `${right} -> ${form}`).toBe(false);
      }
    }
  });
});

test.each(cases<[string, boolean]>('letters', 'English words'))('%j is an English word: %s', (word, is) => {
  expect(isEnglishWord(word)).toBe(is);
});

test('the stop words are the 179', () => {
  expect(new Set(wordList('stop-words.txt')).size).toBe(179);
  expect(["Don't", 'don’t', 'NOT', 's', 'film'].map(isStopWord)).toEqual([true, true, true, true, false]);
});
