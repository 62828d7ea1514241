/** @file Contract of every language. */
import assert from 'node:assert/strict';
import type { Language } from '../core/language.js';
import { introduction, keep, type Promised } from './promises.js';
import { ODD, SENTENCES } from './texts.js';

/** Throws an Error that lists the promises that `language` violates. `texts`: samples in that language. */
export async function checkLanguage(language: Language, texts: readonly string[] = SENTENCES): Promise<void> {
  const words = texts.flatMap((text) => language.tokenize(text));
  const strings = (what: string, values: readonly unknown[]): void => {
    for (const value of values) assert.equal(typeof value, 'string', `${what}: expected strings`);
  };
  const promises: Promised[] = [
    ...introduction('language', language),
    ...[...texts.map((text) => [`"${text}"`, text] as const), ...ODD].map(
      ([what, text]): Promised => [
        `its words occur in the text in order, and are always the same: ${what}`,
        () => {
          const found = language.tokenize(text);
          assert.deepEqual(language.tokenize(text), found);
          let from = 0;
          for (const word of found) {
            assert.notEqual(word, '', 'a word is empty');
            const at = text.indexOf(word, from);
            assert(at >= from, `"${word}" does not follow the previous word`);
            from = at + word.length;
          }
        },
      ],
    ),
    ['it finds words in the texts', () => assert(words.length > texts.length, `got ${words.length} words`)],
  ];
  const { letters, keyboard, misspellings, stopWords } = language;
  if (letters !== undefined)
    promises.push([
      'a letter is one letter',
      () =>
        assert.deepEqual(
          letters.filter((each) => [...each].length !== 1),
          [],
        ),
    ]);
  if (keyboard !== undefined) {
    promises.push([
      'its keyboard gives keys other than the intended one',
      () => {
        for (const letter of new Set(words.flatMap((word) => [...word]))) {
          const near = keyboard.neighbours(letter, 'touching');
          strings('keyboard', near);
          assert(!near.includes(letter), `"${letter}" is its own neighbour`);
        }
      },
    ]);
  }
  if (misspellings !== undefined) {
    promises.push([
      'its misspellings differ from the word itself',
      () => {
        for (const word of words) {
          const found = [...misspellings.known(word), ...misspellings.bySound(word)];
          strings('misspellings', found);
          assert(!found.includes(word), `"${word}" is its own misspelling`);
        }
      },
    ]);
  }
  if (stopWords !== undefined) {
    promises.push([
      'it recognises stop words in any case',
      () => {
        for (const word of words)
          assert.equal(stopWords.has(word.toUpperCase()), stopWords.has(word.toLowerCase()), word);
      },
    ]);
  }
  await keep(language.name, promises);
}
