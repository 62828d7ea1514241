import { existsSync } from 'node:fs';
import { Tokenizer } from '@huggingface/tokenizers';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tokenizerJson } from '../../src/train/tokenizer-file.js';
import {
  characterVocabulary,
  ofCharacters,
  SPECIAL_TOKENS,
  trainWordPiece,
  wordVocabulary,
} from '../../src/train/vocabulary.js';
import { refusal } from '../refusal.js';
import { expectAlike, SST2, textsOf } from './alike.js';

describe('trainWordPiece', () => {
  test('joins the most frequent pair first, ties by smaller left, then right piece', () => {
    // ##u ##g: 20 times; then h ##ug: 15; then p ##u: 17 - joined before "h ##ug" because it is more frequent.
    const counts = new Map([
      ['hug', 10],
      ['pug', 5],
      ['pun', 12],
      ['bun', 4],
      ['hugs', 5],
    ]);
    const vocabulary = trainWordPiece(counts, { size: 16 });
    expect(vocabulary).toEqual([
      ...SPECIAL_TOKENS,
      '##g',
      '##n',
      '##s',
      '##u',
      'b',
      'h',
      'p',
      '##ug',
      '##un',
      'hug',
      'pun',
    ]);
    expect(
      trainWordPiece(
        new Map([
          ['ab', 3],
          ['cd', 3],
        ]),
        { size: 10 },
      ).at(-1),
    ).toBe('ab');
  });

  test('counts overlapping occurrences as WordPiece would join them', () => {
    expect(trainWordPiece(new Map([['xaaaa', 2]]), { size: 9 }).slice(7)).toEqual(['##aa', '##aaaa']);
  });

  test('refuses a size that cannot hold the characters, saying what would do', async () => {
    await refusal(() => trainWordPiece(new Map([['abc', 2]]), { size: 7 }));
  });

  const words = fc.dictionary(fc.stringMatching(/^[a-e]{1,8}$/), fc.integer({ min: 1, max: 20 }), { minKeys: 1 });

  test('a vocabulary never exceeds its size, has no entry twice, and a smaller one is a prefix of a larger one', () => {
    fc.assert(
      fc.property(words, fc.integer({ min: 15, max: 40 }), (dictionary, size) => {
        const counts = new Map(Object.entries(dictionary));
        const small = trainWordPiece(counts, { size, minFrequency: 1 });
        const large = trainWordPiece(counts, { size: size + 7, minFrequency: 1 });
        expect(small.length).toBeLessThanOrEqual(size);
        expect(new Set(large).size).toBe(large.length);
        expect(large.slice(0, small.length)).toEqual(small);
      }),
    );
  });

  test('the order in which words were counted does not matter', () => {
    fc.assert(
      fc.property(words, (dictionary) => {
        const entries = Object.entries(dictionary);
        const options = { size: 40, minFrequency: 1 };
        expect(trainWordPiece(new Map([...entries].reverse()), options)).toEqual(
          trainWordPiece(new Map(entries), options),
        );
      }),
    );
  });

  test('every training word is encoded without [UNK] and decodes to itself', () => {
    fc.assert(
      fc.property(words, (dictionary) => {
        const counts = new Map(Object.entries(dictionary));
        const tokenizer = new Tokenizer(tokenizerJson(trainWordPiece(counts, { size: 30, minFrequency: 1 })), {});
        for (const word of counts.keys()) {
          const pieces = tokenizer.tokenize(word);
          expect(pieces.map((piece: string) => piece.replace(/^##/, '')).join('')).toBe(word);
        }
      }),
    );
  });

  test('a word with a rare character left out of the alphabet becomes [UNK]', () => {
    const counts = new Map([
      ['aaa', 5],
      ['aé', 1],
    ]);
    const vocabulary = trainWordPiece(counts, { size: 20, alphabetLimit: 1 });
    expect(vocabulary).not.toContain('##é');
    expect(vocabulary).toContain('##a');
  });

  test('words named like members of Object survive', () => {
    const counts = new Map([
      ['constructor', 3],
      ['__proto__', 3],
    ]);
    const tokenizer = new Tokenizer(tokenizerJson(trainWordPiece(counts, { size: 200, minFrequency: 1 })), {});
    expect(tokenizer.tokenize('constructor')).toEqual(['constructor']);
  });
});

test('wordVocabulary keeps the most frequent words, ties by code unit', () => {
  const counts = new Map([
    ['b', 2],
    ['a', 2],
    ['c', 9],
    ['rare', 1],
  ]);
  expect(wordVocabulary(counts, { size: 7 }).slice(5)).toEqual(['c', 'a']);
  expect(wordVocabulary(counts, { size: 99 }).slice(5)).toEqual(['c', 'a', 'b']);
});

describe.skipIf(!existsSync(SST2))('on SST-2 (absent: ../shared/data; test/slow takes its training texts)', () => {
  test('the native tokenizers library and the JavaScript one encode alike with our file', async () => {
    await expectAlike(textsOf(`${SST2}/dev.tsv`), textsOf(`${SST2}/dev.tsv`).slice(0, 200), 1000);
  });
});

describe('characterVocabulary', () => {
  const counts = new Map([
    ['tea', 3],
    ['at', 2],
    ['é', 1],
  ]);

  test('each character that is not too rare, beginning a word and within one', () => {
    const vocabulary = characterVocabulary(counts, { size: 100 });
    expect(vocabulary).toEqual([...SPECIAL_TOKENS, 'a', 'e', 't', '##a', '##e', '##t']);
    expect(ofCharacters(vocabulary)).toBe(true);
    expect(ofCharacters(trainWordPiece(counts, { size: 100 }))).toBe(false);
    expect(new Tokenizer(tokenizerJson(vocabulary), {}).tokenize('Tea at tée')).toEqual([
      ...['t', '##e', '##a', 'a', '##t', 't', '##e', '##e'],
    ]);
  });

  test('of too many the most frequent', () => {
    expect(characterVocabulary(counts, { size: 10 })).toEqual([...SPECIAL_TOKENS, 'a', 't', '##a', '##t']);
  });
});
