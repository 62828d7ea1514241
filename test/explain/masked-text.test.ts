import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maskedText } from '../../src/explain/masked-text.js';

const keep = (text: string, kept: readonly number[], name: 'delete' | 'mask' = 'delete') =>
  maskedText(text, { name, token: '[MASK]' }).keep(Uint8Array.from(kept));

test.each([
  ['a b c', [1, 0, 1], 'a c'],
  ['a b c', [0, 1, 1], 'b c'],
  ['a b c', [0, 0, 1], 'c'],
  ['a b c', [1, 1, 0], 'a b'],
  ['a b c', [0, 0, 0], ''],
  ['What an idiit !', [1, 1, 0], 'What an !'],
  ['What an idiit !', [0, 0, 0], '!'],
  ['"a", b.', [0, 1], '"", b.'],
  ['  a b', [1, 1], '  a b'],
])('%j with %j kept reads %j', (text, kept, expected) => {
  expect(keep(text, kept)).toBe(expected);
});

test('replaced words keep their place', () => {
  expect(keep('not a, b!', [1, 0, 0], 'mask')).toBe('not [MASK], [MASK]!');
});

test('with all words kept it is the text itself', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const masked = maskedText(text, { name: 'delete', token: '' });
      expect(masked.keep(new Uint8Array(masked.words.length).fill(1))).toBe(text);
    }),
  );
});
