import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { json } from '../../reports/json.js';
import { logLines, shownLines, unfinished } from '../../reports/log-lines.js';
import { harmIn } from './harmless.js';
import { INJECTIONS } from './injections.js';

describe('logLines', () => {
  test.each([
    ['plain\ntext :: here', 'plain\ntext :: here'],
    ['a\n::error::b', 'a\n\\::error::b'],
    ['  ::stop-commands::x', '  \\::stop-commands::x'],
    ['\u00A0\u3000::error::x', '\u00A0\u3000\\::error::x'],
    ['\u001B[31m::error::x', '\u001B[31m\\::error::x'],
    ['##[group]x', '##\\[group]x'],
    ['what I said: ##[error]x', 'what I said: ##\\[error]x'],
    ['a ##VSO[task.setvariable]b', 'a ##VSO\\[task.setvariable]b'],
    ['x##teamcity[buildStop]', 'x##teamcity\\[buildStop]'],
    ['::', '\\::'],
  ])('%j', (text, expected) => expect(logLines(text)).toBe(expected));

  test.each([
    ['begun', ':', ':error::x', '\\::error::x'],
    ['blank', ' ', '::error::x', ' \\::error::x'],
    ['split before its bracket', 'a ##vso', '[x]', 'a ##vso\\[x]'],
    ['no beginning of a line', 'a', '::error::x', 'a::error::x'],
  ])('%s', (_, begun, next, expected) => expect(logLines(begun) + logLines(next, begun)).toBe(expected));

  test.each([
    ['a colour', '\u001B[1m', '::error::x', '\\::error::x'],
    ['blanks and a colour', ' \u001B[1m ', '::error::x', '\\::error::x'],
    ['words', 'a', '::error::x', '::error::x'],
    ['a command of Azure', 'a ##vs', 'o[x]', 'o\\[x]'],
  ])('%s, of which only the end of the line is kept', (_, before, next, expected) =>
    expect(logLines(next, unfinished(before))).toBe(expected),
  );

  test('long blanks cost no more than their length', () => {
    const began = process.cpuUsage();
    logLines(`${' '.repeat(200_000)}x\n`.repeat(5));
    const { user } = process.cpuUsage(began);
    // Microseconds of this processor. With the square of the length it would be minutes.
    expect(user).toBeLessThan(5e6);
  });
});

describe('shownLines', () => {
  test.each([
    ['a\nb\tc\r\n', 'a\nb\tc\n'],
    ['old\rnew', 'old<U+000D>new'],
    ['\u001B[31mred', '<U+001B>[31mred'],
    ['\u202Egnp\u0007', '<U+202E>gnp<U+0007>'],
  ])('%j without colours', (text, expected) => expect(shownLines(text, false)).toBe(expected));

  test.each([
    ['\u001B[31mred\u001B[39m', '\u001B[31mred\u001B[39m'],
    ['\u001B[44m\u001B[37mheat\u001B[39m\u001B[49m', '\u001B[44m\u001B[37mheat\u001B[39m\u001B[49m'],
    ['\u001B[48;5;196mx\u001B[49m', '\u001B[48;5;196mx\u001B[49m'],
    ['\u001B[8mhidden\u001B[5mblinking', '<U+001B>[8mhidden<U+001B>[5mblinking'],
    ['\u001B[2J\u001B]0;title\u0007\u009B31m', '<U+001B>[2J<U+001B>]0;title<U+0007><U+009B>31m'],
  ])('%j with colours', (text, expected) => expect(shownLines(text, true)).toBe(expected));
});

/** Texts of strangers: the corpus, pieces of it, and anything else. */
const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.constantFrom(...INJECTIONS, '##', '[', ':', '::', 'vso', '\u001B', '\n', ' ', '\u200D', '😀'))
    .map((parts) => parts.join('')),
);

test('a document of --json passes unchanged, and says what it said', () => {
  fc.assert(
    fc.property(fc.jsonValue(), hostile, (value, text) => {
      const document = `${json({ value, text, [text]: text })}\n`;
      expect(logLines(shownLines(document, false))).toBe(document);
      expect(JSON.parse(document)).toEqual(JSON.parse(JSON.stringify({ value, text, [text]: text })));
    }),
  );
});

test('however a text is cut into pieces, no line of it is a command', () => {
  fc.assert(
    fc.property(fc.array(hostile, { maxLength: 5 }), (pieces) => {
      let begun = '';
      let out = '';
      for (const piece of pieces) {
        const shown = shownLines(piece, false);
        out += logLines(shown, begun);
        begun = unfinished(begun + shown);
      }
      expect(harmIn(out)).toBeUndefined();
    }),
  );
});
