import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Draft } from '../../src/core/draft.js';
import { contract, expandContraction } from '../../src/language/english/contractions.js';
import { entitiesOf } from '../../src/language/english/entities.js';
import { numberToWords, wordsToNumber } from '../../src/language/english/number-words.js';
import { cases } from './cases.js';

describe('named entities', () => {
  const found = (text: string): string[] => {
    const draft = Draft.of(text);
    return entitiesOf(draft).map(({ kind, first, last }) => `${kind}: ${draft.words.slice(first, last + 1).join(' ')}`);
  };
  test.each(cases<[string, string[]]>('names-and-numbers', 'entities'))('%s', (text, expected) =>
    expect(found(text)).toEqual(expected),
  );

  test('entities lie in order and do not overlap, in any text', () => {
    const words = 'London New York May 4 July two hundred and Hugh of the Mr . , I film'.split(' ');
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words)), (text) => {
        const draft = Draft.of(text.join(' '));
        let end = -1;
        for (const { first, last } of entitiesOf(draft)) {
          expect(first).toBeGreaterThan(end);
          expect(last).toBeGreaterThanOrEqual(first);
          end = last;
        }
        expect(end).toBeLessThan(Math.max(1, draft.words.length));
      }),
    );
  });
});

describe('contractions', () => {
  test.each(cases<[string, number, string]>('names-and-numbers', 'expanded'))('%s: %i -> %s', (text, at, expected) =>
    expect(expandContraction(Draft.of(text), at)?.text).toBe(expected),
  );

  test.each([
    ["it ain't good", 1],
    ["the film 's good", 2], // or the film's goods
    ['good', 0],
    ["n't", 0],
    ['constructor', 0],
  ])('%s: %i stays', (text, at) => expect(expandContraction(Draft.of(text), at)).toBeUndefined());

  test.each([
    ['It is good', 0, "It's good"],
    ['I do not know', 1, "I don't know"],
    ['I am here', 0, "I'm here"],
    ['you can not go', 1, "you can't go"],
    ['WE ARE HERE', 0, "WE'RE HERE"],
    ['this is not', 1, "this isn't"],
  ])('%s: %i -> %s', (text, at, expected) => expect(contract(Draft.of(text), at)?.text).toBe(expected));

  test.each([
    ['I know who he is', 3],
    ['here I am', 1],
    ['it , is good', 0],
    ['the film', 0],
  ])('%s: %i does not contract', (text, at) => expect(contract(Draft.of(text), at)).toBeUndefined());
});

describe('numbers in words', () => {
  test.each([
    [0, 'zero'],
    [13, 'thirteen'],
    [42, 'forty-two'],
    [100, 'one hundred'],
    [205, 'two hundred five'],
    [1999, 'one thousand nine hundred ninety-nine'],
    [1_000_001, 'one million one'],
  ])('%i: %s', (n, words) => expect(numberToWords(n)).toBe(words));

  test('there and back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e12 - 1 }), (n) => {
        expect(wordsToNumber(numberToWords(n))).toBe(n);
      }),
    );
  });

  test.each(['', 'film', 'two three', 'hundred hundred', 'and', 'twenty eleven', '__proto__'])(
    '%j is not one',
    (phrase) => expect(wordsToNumber(phrase)).toBeUndefined(),
  );
  test('with "and", in capitals', () => expect(wordsToNumber('Two hundred and Forty-Two')).toBe(242));
  test.each([-1, 1.5, 1e12, Number.NaN])('%d is refused', (n) => expect(() => numberToWords(n)).toThrow(RangeError));
});
