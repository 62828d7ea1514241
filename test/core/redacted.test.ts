/** Where a redacted text differs from what was given. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { must } from '../../src/core/errors.js';
import { redaction } from '../../src/core/tags/redacted.js';

const read = (text: string, output: string) => {
  const { spans, ambiguous } = must(redaction(text, output));
  return { gone: spans.map(({ start, end, by }) => [text.slice(start, end), by]), ambiguous };
};

test.each([
  ['call John Smith now', 'call [NAME] now', [['John Smith', '[NAME]']]],
  ['call John Smith now', 'call  now', [['John Smith', '']]],
  ['call John Smith now', 'call now', [[' John Smith', '']]],
  ['mail a@b.co', 'mail ****@*.**', [['a@b.co', '****@*.**']]],
  [
    'ssn 123-45-6789',
    'ssn XXX-XX-6789',
    [
      ['123', 'XXX'],
      ['45', 'XX'],
    ],
  ],
  [
    'Ann Lee, 555-1234, ann@x.org',
    '[NAME], [PHONE], [EMAIL]',
    [
      ['Ann Lee', '[NAME]'],
      ['555-1234', '[PHONE]'],
      ['ann@x.org', '[EMAIL]'],
    ],
  ],
  [
    'name John. John left',
    'name REDACTED. REDACTED left',
    [
      ['John', 'REDACTED'],
      ['John', 'REDACTED'],
    ],
  ],
  ['all', '', [['all', '']]],
  ['nothing', 'nothing', []],
])('%s -> %s', (text, output, gone) => {
  expect(read(text, output)).toEqual({ gone, ambiguous: false });
});

test.each([
  ['5, 5', '5'],
  ['a a a', 'a a'],
])('%s -> %s may be several', (text, output) => {
  expect(read(text, output).ambiguous).toBe(true);
});

test('far apart in a long text they are not located, rather than all between them counted as redacted', () => {
  const middle = 'call Ann Lee at home. '.repeat(200);
  expect(redaction(`Bob ${middle}Eve`, `[A] ${middle}[B]`)).toBeUndefined();
});

const WORDS = ['call', 'Ann', 'Lee', 'at', 'home', '555-1234', 'ok', 'mail', 'x@y.org', 'today'];

test('of distinct words, what was replaced is found, and what was kept is not', () => {
  const words = fc.uniqueArray(fc.constantFrom(...WORDS), { minLength: 1 });
  fc.assert(
    fc.property(words, fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }), (each, hidden) => {
      const output = each.map((word, at) => (hidden[at] ? '[GONE]' : word)).join(' | ');
      const text = each.join(' | ');
      const covered = new Set(
        must(redaction(text, output)).spans.flatMap(({ start, end }) =>
          Array.from({ length: end - start }, (_, at) => start + at),
        ),
      );
      let from = 0;
      for (const [at, word] of each.entries()) {
        const places = Array.from(word, (_, letter) => from + letter);
        expect(places.filter((place) => covered.has(place))).toEqual(hidden[at] ? places : []);
        from += word.length + 3;
      }
    }),
  );
});

test('of any two texts, what is outside of the spans stands in the output, in order', () => {
  const some = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '[', 'X', '*', '\u{1F642}'), maxLength: 30 });
  fc.assert(
    fc.property(some, some, (text, output) => {
      const { spans } = must(redaction(text, output));
      let [rest, from] = [output, 0];
      for (const { start, end, by } of [...spans, { start: text.length, end: text.length, by: '' }]) {
        expect(start).toBeGreaterThanOrEqual(from);
        for (const letter of text.slice(from, start)) {
          const at = rest.indexOf(letter);
          expect(at).toBeGreaterThanOrEqual(0);
          rest = rest.slice(at + letter.length);
        }
        expect(output).toContain(by);
        from = end;
      }
    }),
  );
});
