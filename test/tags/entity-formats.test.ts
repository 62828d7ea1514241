/** Other forms of values: a reader gets the same value from each, and the entity keeps its place. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formattedParts, reformatted } from '../../attacks/entity-formats.js';
import { renamed } from '../../attacks/other-names.js';
import { Draft } from '../../src/core/draft.js';
import { carriedSpans, keepEntities } from '../../src/core/tags/carried.js';
import { keepsDigits, monthName, readDay, readValue } from '../../src/core/tags/value.js';
import { english } from '../../src/language/english/index.js';
import { namesByOrigin } from '../../src/language/names-by-origin.js';
import { recognisableName } from '../../src/language/word-recognition.js';

const formsOf = (text: string): string[] => formattedParts(text).flatMap(({ forms }) => [...forms]);

test.each([
  ['born 1984-03-05.', '5 March 1984', 'Mar 5, 1984', '1984.03.05'],
  ['born 5 March 1984.', '1984-03-05', 'March 5, 1984'],
  ['SSN 987-65-4320', '987 65 4320', '987654320', '987.65.4320'],
  ['call +44 1632 960 177 now', '+44-1632-960-177', '+441632960177'],
  ['call (212) 555-0199', '212 555 0199', '212-555-0199'],
  ['card 4111 1111 1111 1111', '4111-1111-1111-1111', '4111111111111111'],
  ['to DE89 3704 0044 0532 0130 00', 'DE89370400440532013000', 'DE89-3704-0044-0532-0130-00'],
  ['at 192.0.2.17', '192[.]0[.]2[.]17'],
  ['to h.brandt@example.org', 'h.brandt (at) example[.]org', 'h.brandt@example [dot] org'],
  ['at 221 Alder Street, Port Wenlow', '221 Alder St'],
])('%s', (text, ...expected) => {
  expect(formsOf(text)).toEqual(expect.arrayContaining(expected));
});

test('what is no value, or could be read in two ways, has no other form', () => {
  for (const text of ['03/04/1984', 'in 2025', '12 of 40', '2025-13-40', 'room 12', 'version 1.2.3'])
    expect(formsOf(text), text).toEqual([]);
});

const digits = (length: number) => fc.stringMatching(new RegExp(`^[1-9][0-9]{${length - 1}}$`));
const values = fc.oneof(
  fc
    .record({
      year: fc.integer({ min: 1900, max: 2099 }),
      month: fc.integer({ min: 1, max: 12 }),
      day: fc.integer({ min: 1, max: 28 }),
    })
    .chain(({ year, month, day }) =>
      fc.constantFrom(
        `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`,
        `${day} ${monthName(month)} ${year}`,
        `${monthName(month)} ${day}, ${year}`,
      ),
    ),
  fc.tuple(digits(3), digits(2), digits(4)).map((groups) => groups.join('-')),
  fc.tuple(digits(2), digits(4), digits(6)).map((groups) => `+${groups.join(' ')}`),
  fc.tuple(digits(3), digits(3), digits(4)).map(([a, b, c]) => `(${a}) ${b}-${c}`),
  fc.tuple(digits(2), fc.array(digits(4), { minLength: 3, maxLength: 5 })).map(([a, b]) => `GB${a} ${b.join(' ')}`),
  fc.stringMatching(/^[a-z]{2,8}\.[a-z]{2,8}@[a-z]{3,8}\.(?:org|com|net)$/),
);

test('the value is read back from every form, and the entity is where the form is', () => {
  fc.assert(
    fc.property(
      values,
      fc.constantFrom('', 'Ann wrote: '),
      fc.constantFrom('.', ', thanks', ''),
      (value, before, after) => {
        const text = `${before}${value}${after}`;
        const span = { start: before.length, end: before.length + value.length, type: 'X' };
        const draft = Draft.of(text);
        const all = [
          ...reformatted(
            draft,
            Array.from({ length: draft.size }, (_, at) => at),
          ),
        ];
        expect(all.length).toBeGreaterThan(2);
        const { accepts } = keepEntities({ entities: [span], entity: 0 }, 'both');
        expect(accepts?.(all, draft, {} as never)).toEqual(all.map(() => true));
        for (const each of all) {
          const [{ start, end }] = carriedSpans(each, [span]) as [typeof span];
          const form = each.text.slice(start, end);
          expect(readValue(form), `${value} -> ${form}`).toBe(readValue(value));
          expect(each.text.slice(0, start).replace(/[+(]$/, '')).toBe(before);
          expect(each.text.slice(end)).toBe(after);
        }
      },
    ),
    { numRuns: 300, seed: 7 },
  );
});

test('days are read from their usual forms, and only where day and month are certain', () => {
  const day = { year: 1984, month: 3, day: 5 };
  for (const text of [
    '1984-03-05',
    '5 March 1984',
    'the 5th of March 1984',
    'Mar 5, 1984',
    'March 5th 1984',
    '1984/3/5',
  ])
    expect(readDay(text), text).toEqual(day);
  for (const text of ['03/05/1984', '1984-02-30', '5 Smarch 1984', 'March 1984', ''])
    expect(readDay(text), text).toBeUndefined();
});

test('edits of letters keep the digits of an entity', () => {
  expect(keepsDigits('DE89', 'DE89')).toBe(true);
  expect(keepsDigits('DE89', 'D\u0415-89')).toBe(true);
  expect(keepsDigits('DE89', 'D8E9')).toBe(false);
  expect(keepsDigits('DE89', 'DX89')).toBe(false);
  expect(keepsDigits('2025', '202Y')).toBe(false);
  expect(keepsDigits('2025', '20\u200b25')).toBe(true);
  expect(keepsDigits('Olsen', '0lsen')).toBe(true);
  // A short number stays together; long ones have groups.
  expect(['1.9.7.7', '19 77', '1-977'].map((after) => keepsDigits('1977', after))).toEqual([false, false, false]);
  expect(keepsDigits('4111111111111111', '4111 1111-1111 1111')).toBe(true);
  expect(keepsDigits('02079460958', '020.7946.0958')).toBe(true);
  expect(keepsDigits('02079460958', '0.2.07946.0958')).toBe(false);
  const grouped = (before: string, word: number, now: string) => {
    const draft = Draft.of(before);
    const example = { entities: [{ start: 0, end: before.length, type: 'X' }], entity: 0 };
    const { accepts } = keepEntities(example, 'both', () => true);
    return accepts?.([draft.replace(word, now)], draft, {} as never);
  };
  expect(grouped('864', 0, '8 64')).toEqual([false]);
  expect(grouped('056 590 36 33', 0, '0.5.6')).toEqual([false]);
  const text = 'due 3 March 2025';
  const draft = Draft.of(text);
  const { accepts } = keepEntities({ entities: [{ start: 4, end: 16, type: 'DATE' }], entity: 0 }, 'both');
  const accepted = (...drafts: Draft[]) => accepts?.(drafts, draft, {} as never);
  expect(accepted(draft.replace(3, '2052'), draft.replace(2, 'Mrach'), draft.replace(1, '4'))).toEqual([
    false,
    true,
    false,
  ]);
});

test('edits of letters keep every sign of an address, and the words of an entity recognisable', () => {
  const accepted = (text: string, word: number, now: string, touch: 'both' | 'context' = 'both') => {
    const draft = Draft.of(text);
    const example = { entities: [{ start: 0, end: text.length, type: 'X' }], entity: 0 };
    const recognises = (before: string, after: string) => recognisableName(before, after, english);
    return keepEntities(example, touch, recognises).accepts?.([draft.replace(word, now)], draft, {} as never);
  };
  for (const now of ['annarmyspy', 'ann@afmyspy', 'amn@armyspy', '@nn@armyspy', 'ann@army'])
    expect([now, accepted('ann@armyspy.com', 0, now)]).toEqual([now, [false]]);
  for (const now of ['ann@ARMYspy', '\u0430nn@armyspy', 'ann (at) armyspy', 'an\u200bn@armyspy'])
    expect([now, accepted('ann@armyspy.com', 0, now)]).toEqual([now, [true]]);
  for (const [word, now] of [
    ['Dr', 'tr'],
    ['Ann', 'Amn'],
    ['Selma', 'Seoma'],
    ['Trivo', 'Tivo'],
    ['USNV', 'UWNV'],
    ['Slashdb', 'Sashdc'],
    ['Moss', 'Mass'],
  ] as const)
    expect([now, accepted(`${word} Eze`, 0, now)]).toEqual([now, [false]]);
  for (const [word, now] of [
    ['Moss', 'M\u043ess'],
    ['Selma', 'Slema'],
    ['Slashdb', 'Slashb'],
    ['Slashdb', 'S-l-a-s-h-d-b'],
    ['Kastner', '\u202eaK\u202cstner'],
  ] as const)
    expect([now, accepted(`${word} Eze`, 0, now)]).toEqual([now, [true]]);
});

test('names of other origins take the place of a name, and its title stays', () => {
  const names = namesByOrigin();
  const origins = [...new Set(names.map(({ origin }) => origin))];
  for (const origin of origins) expect(names.filter((name) => name.origin === origin)).toHaveLength(4);
  expect(new Set(names.map(({ given, family }) => `${given} ${family}`)).size).toBe(names.length);
  const text = 'Dr. Ines Calder met Sam and Ann Mary Lee';
  const span = (words: string) => ({
    start: text.indexOf(words),
    end: text.indexOf(words) + words.length,
    type: 'PERSON',
  });
  const draft = Draft.of(text);
  const eze = { origin: 'Nigerian', given: 'Ngozi', family: 'Eze' };
  expect(renamed(draft, span('Dr. Ines Calder'), eze)?.text).toBe('Dr. Ngozi Eze met Sam and Ann Mary Lee');
  expect(renamed(draft, span('Sam'), eze)?.text).toBe('Dr. Ines Calder met Ngozi and Ann Mary Lee');
  expect(renamed(draft, span('Ann Mary Lee'), eze)).toBeUndefined();
  const wang = { origin: 'Han script', given: '伟', family: '王' };
  const made = renamed(draft, span('Dr. Ines Calder'), wang)!;
  expect(made.text).toBe('Dr. 王伟 met Sam and Ann Mary Lee');
  const [{ start, end }] = carriedSpans(made, [span('Dr. Ines Calder')]) as [ReturnType<typeof span>];
  expect(made.text.slice(start, end)).toBe('Dr. 王伟');
});
