import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { excerpt, type Segment, wordDiff } from '../../reports/word-diff.js';

const shown = (segments: readonly Segment[]): string =>
  segments.map((s) => (s.changed ? `[${s.from}|${s.to}]` : s.text)).join('');
const side = (segments: readonly Segment[], of: 'from' | 'to'): string =>
  segments.map((s) => (s.changed ? s[of] : s.text)).join('');

describe('wordDiff', () => {
  test.each([
    ['What an idiot !', 'What an idiit !', 'What an [idiot|idiit] !'],
    ['An idiot! Really.', 'An idiit! Really.', 'An [idiot|idiit]! Really.'],
    ['good movie', 'goood movvie', '[good|goood] [movie|movvie]'],
    ['so good it is', 'so g o o d it is', 'so [good|g o o d] it is'],
    ['so g o o d it is', 'so good it is', 'so [g o o d|good] it is'],
    ['a good film now', 'a go od f ilm now', 'a [good|go od] [film|f ilm] now'],
    ['a good film now', 'a go od flim now', 'a [good|go od] [film|flim] now'],
    ['the tedious plot', 'the tediuos pl ot', 'the [tedious|tediuos] [plot|pl ot]'],
    ['a cat', 'a fat cat', 'a [|fat ]cat'],
    ['a fat cat', 'a cat', 'a [fat |]cat'],
    ['one', 'two', '[one|two]'],
    ['', 'new', '[|new]'],
    ['same', 'same', 'same'],
  ])('%j -> %j', (before, after, expected) => expect(shown(wordDiff(before, after))).toBe(expected));

  const text = fc.array(fc.constantFrom('good', 'bad', 'film', '!', 'g', ' ', '  ', '\n', '😀'), { maxLength: 20 });
  test('reads as the one text and as the other', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const segments = wordDiff(a.join(''), b.join(''));
        expect(side(segments, 'from')).toBe(a.join(''));
        expect(side(segments, 'to')).toBe(b.join(''));
      }),
    );
  });

  test('a text rewritten from end to end is one change, soon found', () => {
    const words = (word: string): string => Array.from({ length: 100_000 }, (_, i) => word + i).join(' ');
    expect(wordDiff(words('a'), words('b'))).toHaveLength(1);
  });
});

describe('excerpt', () => {
  const long = (word: string): string => Array.from({ length: 50 }, () => word).join(' ');

  test('keeps what stands around a change', () => {
    const text = shown(
      excerpt(
        wordDiff(
          `${long('aa')} old ${long('bb')} older ${long('cc')}`,
          `${long('aa')} new ${long('bb')} newer ${long('cc')}`,
        ),
        12,
      ),
    );
    expect(text).toBe('… aa aa aa [old|new] bb bb bb … bb bb bb [older|newer] cc cc cc …');
  });

  test('keeps a short text whole', () => {
    expect(shown(excerpt(wordDiff('a b c', 'a x c'), 12))).toBe('a [b|x] c');
  });

  test('keeps the beginning of a text without changes', () => {
    const text = long('aa');
    expect(shown(excerpt(wordDiff(text, text), 12))).toBe('aa aa aa aa aa aa aa aa …');
  });

  test('cuts one endless word without breaking a character', () => {
    const text = shown(excerpt(wordDiff(`${'😀'.repeat(99)} old`, `${'😀'.repeat(99)} new`), 13));
    expect(text).not.toMatch(/\p{Cs}/u);
    expect(text.length).toBeLessThan(30);
  });
});
