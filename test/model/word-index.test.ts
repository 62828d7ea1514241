/** Word-index preprocessing, step by step. */
import { expect, test } from 'vitest';
import { wordIndexEncoder } from '../../src/model/tokens/word-index.js';
import { folder } from './toy.js';

const vocabulary = { the: 1, film: 2, is: 3, "don't": 4, good: 5, Good: 6 };
const base = {
  kind: 'word-index' as const,
  vocabulary: 'words.json',
  lowercase: false,
  joinContractions: false,
  separators: '',
  unknown: 'drop' as const,
  length: null,
  padId: 0,
  pad: 'end' as const,
  truncate: 'end' as const,
};
const encoder = (more: object = {}, maximum = 100) =>
  wordIndexEncoder(folder({ 'words.json': vocabulary }), { ...base, ...more }, maximum);

test.each<[string, object, string, number[]]>([
  ['words between spaces', {}, 'the  film is good', [1, 2, 3, 5]],
  ['case', {}, 'Good good GOOD', [6, 5]],
  ['lower case', { lowercase: true }, 'Good good GOOD', [5, 5, 5]],
  ['unknown words are dropped', {}, 'the movie is', [1, 3]],
  ['or become an id', { unknown: 9 }, 'the movie is', [1, 9, 3]],
  ['separators', { separators: '.]-\\^' }, 'the.film]is-good\\the^is', [1, 2, 3, 5, 1, 3]],
  ['removed', { remove: '<[^>]*>' }, 'the <br /> film<i>', [1, 2]],
  ['contractions', { joinContractions: true }, "do n't don't do  n't", [4, 4, 4]],
  ['contractions stay apart', {}, "do n't", []],
  ['padding', { length: 4 }, 'the film', [1, 2, 0, 0]],
  ['padding in front', { length: 4, pad: 'start', padId: 7 }, 'the film', [7, 7, 1, 2]],
  ['the end is cut', { length: 2 }, 'the film is good', [1, 2]],
  ['the start is cut', { length: 2, truncate: 'start' }, 'the film is good', [3, 5]],
  ['nothing known', {}, 'xyz', [0]],
  ['no prototype words', {}, 'constructor __proto__ toString the', [1]],
])('%s', async (_, spec, text, ids) => {
  const { encode } = await encoder(spec);
  const padded = ids.length === 0 ? [0] : ids;
  expect(Array.from(encode(text).ids)).toEqual(padded);
});

test('tokens stand where their words stand', async () => {
  const { tokens, encode, tokenText } = await encoder({
    remove: '<[^>]*>',
    lowercase: true,
    joinContractions: true,
    separators: '.',
    length: 6,
  });
  const text = "The<br>.FILM İ <i>is Do n't good";
  const spans = tokens(text);
  expect(spans.map(({ id }) => id)).toEqual(Array.from(encode(text).ids));
  expect(spans.map(({ start, end, special }) => (special ? null : text.slice(start, end)))).toEqual([
    'The',
    'FILM',
    'is',
    "Do n't",
    'good',
    null,
  ]);
  expect(tokenText(4)).toBe("don't");
  expect(tokenText(99)).toBeUndefined();
});

test('says when a text was cut', async () => {
  const { encode } = await encoder({ length: 2 });
  expect(encode('the film').truncated).toBe(false);
  expect(encode('the film is').truncated).toBe(true);
  expect((await encoder({}, 2)).encode('the film is').ids).toHaveLength(2);
});
