/** Krippendorff's alpha on the examples of Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability". */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { random } from '../../src/core/random.js';
import { agreementOf, krippendorffAlpha } from '../../src/review/agreement.js';

/** Answers by reader, a character for each item, `.` without an answer -> answers by item. */
const itemsOf = (...readers: readonly string[]): string[][] =>
  Array.from(readers[0] ?? '', (_, at) =>
    readers.map((answers) => answers[at] as string).filter((each) => each !== '.'),
  );

test.each([
  ['binary, two readers', ['0100000010', '1110010000'], 0.095],
  ['nominal, two readers', ['aabbdcccedda', 'babbbcccEddd'.toLowerCase()], 0.692],
  [
    'nominal, four readers, missing answers',
    ['123321412...', '1233224125.3', '.3332342251.', '1233244125 1.'.replace(' ', '')],
    0.743,
  ],
])('%s', (_, readers, alpha) => {
  expect(krippendorffAlpha(itemsOf(...readers))).toBeCloseTo(alpha, 3);
});

test('without two answers about an item, or without two different answers, there is no alpha', () => {
  expect(krippendorffAlpha([])).toBeUndefined();
  expect(krippendorffAlpha([['a'], ['b']])).toBeUndefined();
  expect(
    krippendorffAlpha([
      ['a', 'a'],
      ['a', 'a'],
    ]),
  ).toBeUndefined();
});

test('perfect agreement is 1; the interval contains alpha; names of answers and the order of items do not matter', () => {
  expect(krippendorffAlpha(itemsOf('aabb', 'aabb'))).toBe(1);
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 2, maxLength: 4 }), {
        minLength: 2,
        maxLength: 30,
      }),
      (items) => {
        const agreement = agreementOf(items, random(1, 'test'));
        const renamed = items.map((each) => each.map((answer) => `<${answer}>`)).reverse();
        const other = krippendorffAlpha(renamed);
        // A property that returns what `expect` does has failed: fast-check takes all but undefined and true for false.
        if (agreement === undefined) {
          expect(other).toBeUndefined();
          return;
        }
        expect(other).toBeCloseTo(agreement.alpha, 10);
        expect(agreement.low).toBeLessThanOrEqual(agreement.alpha);
        expect(agreement.high).toBeGreaterThanOrEqual(agreement.alpha);
        expect(agreement.high).toBeLessThanOrEqual(1);
      },
    ),
    {
      numRuns: 20,
      examples: [
        [
          [
            ['b', 'b'],
            ['b', 'b'],
          ],
        ],
      ],
    },
  );
});
