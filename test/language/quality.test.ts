import { diffArrays } from 'diff';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { english } from '../../src/language/english/index.js';
import { qualityMeter, stretches } from '../../src/language/quality.js';
import { recognisable, skeleton } from '../../src/language/word-recognition.js';
import { cases } from './cases.js';

test('the words that differ are those of the shortest edit', () => {
  const word = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j');
  const words = fc.array(word, { maxLength: 8 });
  fc.assert(
    fc.property(words, words, (before, after) => {
      const placed = (all: readonly string[]) => all.map((text, start) => ({ text, start }));
      const marks = (all: readonly string[], side: 'before' | 'after') => {
        const differing = stretches(placed(before), placed(after)).map((each) => each[side]);
        return all.filter((_, at) => !differing.some(([from, to]) => from <= at && at < to));
      };
      const kept = diffArrays(before, after).flatMap(({ added, removed, value }) => (added || removed ? [] : value));
      expect(marks(before, 'before')).toEqual(kept);
      expect(marks(after, 'after')).toEqual(kept);
    }),
    { numRuns: 500 },
  );
});

test('plain letters are their own outline, as they are beside others', () => {
  const letters = Array.from({ length: 26 }, (_, at) => String.fromCharCode(97 + at));
  for (const letter of letters.flatMap((each) => [each, each.toUpperCase()]))
    expect(skeleton(letter)).toBe(skeleton(`${letter}\u200b`));
});

describe('recognisable', () => {
  test.each<[string, string, boolean, string]>(cases<[string, string, boolean, string]>('quality', 'differences'))(
    '%s, %s: %s (%s)',
    (original, now, same) => expect(recognisable(original, now, english)).toBe(same),
  );

  test('any text has a skeleton, which is its own', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(skeleton(skeleton(text))).toBe(skeleton(text));
      }),
    );
  });
});

const TEXTS = [
  'A lovely film with a great cast.',
  'The plot is thin and the jokes are dull.',
  'I like the ending of this film.',
  'The cast is great but the film is dull.',
];
const measure = qualityMeter(TEXTS, english);

describe('quality', () => {
  test.each<[string, string, object]>([
    ['nothing changed', TEXTS[0] as string, { editDistance: 0, similarity: 1, readability: 1 }],
    ['a slip within a word', 'A lvoely film with a great cast.', { editDistance: 2, similarity: 1, readability: 1 }],
    [
      'a word written apart',
      'A l o v e l y film with a great cast.',
      { editDistance: 5, similarity: 1, readability: 1 },
    ],
    ['two words merged', 'A lovelyfilm with a great cast.', { editDistance: 1, similarity: 1, readability: 1 }],
    ['a word left out', 'A film with a great cast.', { editDistance: 7, readability: expect.closeTo(6 / 7) }],
    ['a synonym', 'A lovely movie with a great cast.', { editDistance: 5, readability: expect.closeTo(6 / 7) }],
    ['words added', 'Well, a lovely film with a great cast.', { editDistance: 7, similarity: expect.any(Number) }],
    ['another text', 'Nothing of it stayed', { similarity: expect.closeTo(0, 1), readability: 0 }],
    ['nothing left', '', { editDistance: 32, similarity: 0, readability: 0 }],
  ])('%s', (_, now, expected) => expect(measure(TEXTS[0] as string, now)).toMatchObject(expected));

  test('a synonym keeps more than a stranger, and an opposite keeps nothing of its word', () => {
    const of = (word: string) => measure(TEXTS[0] as string, (TEXTS[0] as string).replace('great', word)).similarity;
    expect(of('large')).toBeGreaterThan(of('window'));
    expect(of('window')).toBeGreaterThan(of('terrible'));
  });

  test.each([
    [
      'The soup is good, with bread from the oven next door.',
      'The soup is by no means bad, with bread from the oven next door.',
    ],
    ['A funny film about a dog.', 'A by no means dull film about a dog.'],
    [
      'The cast is great but the film is dull.',
      'My sister did not bring a pen that day. The cast is great but the film is dull.',
    ],
    ['The soup is good.', 'There is no denying that the soup is good.'],
    ['It is a great film with a lovely cast.', 'It is nothing less than a great film with a lovely cast.'],
    ['The film never rises above the plot.', 'The film does not ever rise above the plot.'],
    ['This soup is impossible to ignore.', 'This soup is not possible to ignore.'],
    ['The film that we saw in town is funny and clever.', 'The film that we saw in town is neither dull nor stupid.'],
  ])('a negation that reverses nothing costs only the words that differ: %s, %s', (original, now) => {
    const plain = qualityMeter([...TEXTS, original, now], english);
    expect(plain(original, now).similarity).toBeGreaterThan(0.35);
    expect(plain(now, original).similarity).toBeGreaterThan(0.35);
  });

  test.each([
    ['A charming and witty film.', 'Anything but a charming and witty film.'],
    ['The soup is good.', 'I wish I could say that the soup is good.'],
    ['The soup is good, the room is clean.', 'The soup is not good, the room is dirty.'],
    ['I like it', "I don't like it"],
    ['I like it', 'I do not like it'],
    ['A woman is cooking', 'There is no woman cooking'],
    ['the young man left', 'the old man left'],
    ['three men are rowing', 'nine men are rowing'],
    ['it costs 10 dollars', 'it costs 12 dollars'],
  ])('an opposite meaning has a low similarity: %s, %s', (original, now) => {
    expect(measure(original, now).similarity).toBeLessThan(0.5);
    expect(measure(now, original).similarity).toBeLessThan(0.5);
  });

  test.each([
    ['two men are rowing', '2 men are rowing'],
    ['I do not dislike it', "I don't dislike it"],
    ['I like it', 'I liek it'],
    ['nobody fails to like the film', 'nobody fails to like the movie'],
  ])('what does not, does: %s, %s', (original, now) => {
    expect(measure(original, now).similarity).toBeGreaterThan(0.55);
  });

  test('any two texts have figures within their bounds', () => {
    const word = fc.constantFrom(
      'film',
      'a',
      'good',
      'g',
      'constructor',
      '__proto__',
      '\ud800',
      '👩‍👧',
      '...',
      'o\u0301',
    );
    const some = fc.oneof(
      fc.string(),
      fc.array(word, { maxLength: 12 }).map((words) => words.join(' ')),
    );
    fc.assert(
      fc.property(some, some, (original, now) => {
        const { editDistance, similarity, readability } = measure(original, now);
        expect(editDistance).toBeLessThanOrEqual(Math.max(original.length, now.length));
        expect(editDistance === 0).toBe(original === now);
        for (const share of [similarity, readability]) {
          expect(share).toBeGreaterThanOrEqual(0);
          expect(share).toBeLessThanOrEqual(1 + 1e-12);
        }
      }),
    );
  });

  test('10,000 words, edited in any way, take no minutes', () => {
    const long = 'a lovely film with a good cast and charming songs '.repeat(1000);
    expect(measure(long, long.replaceAll('lovely ', ''))).toMatchObject({ editDistance: 7000, readability: 0.9 });
    const shorter = long.slice(0, 10_000);
    expect(measure(shorter, shorter.toUpperCase()).readability).toBe(1);
    expect(measure(shorter, shorter.split(' ').reverse().join(' ')).readability).toBeLessThan(1);
  });
});
