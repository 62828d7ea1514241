import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lookAlikes, visible } from '../../reports/visible.js';

describe('visible', () => {
  test.each([
    ['plain text', 'A "fine" film, naïve & 電影.', 'A "fine" film, naïve & 電影.'],
    ['an escape sequence', '\u001B[31mred', '<U+001B>[31mred'],
    ['a one-byte escape sequence', '\u009B31m', '<U+009B>31m'],
    ['direction overrides', '\u202Eabc\u202C\u2066x\u2069', '<U+202E>abc<U+202C><U+2066>x<U+2069>'],
    ['zero width', 'go\u200Bod\u2060\uFEFF', 'go<U+200B>od<U+2060><U+FEFF>'],
    ['line breaks and tabs', 'a\r\nb\nc\td', 'a  b c d'],
    ['separators', 'a\u2028b', 'a<U+2028>b'],
    ['a lone surrogate', 'a\uD83D', 'a<U+D83D>'],
    ['a letter without a glyph', 'a\u3164b', 'a<U+3164>b'],
    ['a tag letter', 'a\u{E0041}', 'a<U+E0041>'],
    ['an emoji of several', '👩🏽\u200D💻 ❤\uFE0F\u200D🔥', '👩🏽\u200D💻 ❤\uFE0F\u200D🔥'],
    ['a joiner between letters', 'a\u200Db', 'a<U+200D>b'],
    ['a joiner after a line break', 'a\r\n\u200Db', 'a  <U+200D>b'],
  ])('%s', (_, text, shown) => expect(visible(text)).toBe(shown));

  test('leaves nothing a terminal would obey', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: that is the point.
        expect(visible(text)).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/);
      }),
    );
  });
});

describe('lookAlikes', () => {
  test.each([
    ['good', 'g\u043Eod', ['о=U+043E']],
    ['good', 'g\u043E\u043Ed', ['о=U+043E']],
    ['good', 'gòod', []],
    ['слово', 'слава', []],
    ['good', 'goood', []],
  ])('%s -> %s', (from, to, letters) => expect(lookAlikes(from, to)).toEqual(letters));
});
