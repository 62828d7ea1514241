import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readTaggedQuery } from '../../src/core/tags/tagged-query.js';
import { featuresOf, maskedText } from '../../src/explain/masked-text.js';

const keep = (text: string, kept: readonly number[], name: 'delete' | 'mask' = 'delete') =>
  maskedText(text, { name, token: '[MASK]' }).keep(Uint8Array.from(kept));

test.each([
  ['a b c', [1, 0, 1], 'a c'],
  ['a b c', [0, 1, 1], 'b c'],
  ['a b c', [0, 0, 1], 'c'],
  ['a b c', [1, 1, 0], 'a b'],
  ['a b c', [0, 0, 0], ''],
  ['What an idiit !', [1, 1, 0, 1], 'What an !'],
  ['a film 😡😡', [1, 1, 0, 1], 'a film😡'],
  ['What an idiit .', [0, 0, 0], '.'],
  ['"a", b.', [0, 1], '"", b.'],
  ['  a b', [1, 1], '  a b'],
])('%j with %j kept reads %j', (text, kept, expected) => {
  expect(keep(text, kept)).toBe(expected);
});

test.each([
  ['A film (old), and "good". “Old,” it\'s: «new»', "A|film|old|and|good|Old|it's|new"],
  ['Fine... really?! :(', 'Fine|...|really|?!|:('],
  ['😡😡 👍🏽👩‍👩‍👧 ok❤️', '😡|😡|👍🏽|👩‍👩‍👧|ok|❤️'],
  ['最高！映画。', '最高|！|映画'],
  [' ... ', '...'],
  ['. ,', '.|,'],
  [' ', ''],
])('%j has the features %j', (text, features) => {
  const found = featuresOf(text);
  expect(found.map((each) => each.text).join('|')).toBe(features);
  for (const { text: part, start } of found) expect(text.slice(start, start + part.length)).toBe(part);
});

test('replaced words keep their place', () => {
  expect(keep('not a, b.', [1, 0, 0], 'mask')).toBe('not [MASK], [MASK].');
});

test('with all words kept it is the text itself', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const masked = maskedText(text, { name: 'delete', token: '' });
      expect(masked.keep(new Uint8Array(masked.words.length).fill(1))).toBe(text);
    }),
  );
});

test('entities follow their words: what stays of one, with what lies between', () => {
  const word = fc.constantFrom('Ann', 'Lee', 'of', 'York', 'the', '12');
  const gap = fc.constantFrom(' ', '  ', ', ', ' (', ') ', ' - ');
  fc.assert(
    fc.property(
      fc.array(fc.tuple(word, gap, fc.boolean()), { minLength: 1, maxLength: 7 }),
      fc.nat(),
      fc.nat(),
      fc.constantFrom('delete' as const, 'mask' as const),
      (parts, from, to, name) => {
        const text = parts.map(([each, behind]) => each + behind).join('');
        const { words } = maskedText(text, { name: 'delete', token: '' });
        const [first, last] = [from % words.length, to % words.length].sort((a, b) => a - b) as [number, number];
        const end = words[last]!.start + words[last]!.text.length;
        const entities = [{ start: words[first]!.start, end, type: 'PER' }];
        const kept = Uint8Array.from(words, (_, at) => Number(parts[at]?.[2] ?? true));
        const masked = maskedText(text, { name, token: '[MASK]' }, { entities, entity: 0 });
        const read = readTaggedQuery(masked.keep(kept))!;
        expect(read.text).toBe(maskedText(text, { name, token: '[MASK]' }).keep(kept));
        const place = read.text.slice(read.entity!.start, read.entity!.end);
        const inside = words.slice(first, last + 1).map((each, at) => (kept[first + at] === 1 ? [each.text] : []));
        const wanted = name === 'delete' ? inside.flat() : inside.map(([each = 'MASK']) => each);
        expect(place.match(/[A-Za-z]+|\d+/g) ?? []).toEqual(wanted);
      },
    ),
  );
});
