import { expect, test } from 'vitest';
import type { GuardCard } from '../../src/results/card/guard-card.js';
import { leaveOneOut } from '../../src/results/card/leave-one-out.js';

/** A card of these scores; keys are unique unless given. */
const card = (
  data: string,
  benign: readonly number[],
  attacks: readonly number[],
  keys?: readonly string[],
): GuardCard =>
  ({
    model: { name: 'guard', sha256: 'a', labels: ['benign', 'attack'] },
    data: { name: data, sha256: data, examples: 0, examplesSha256: data },
    outcomes: '.'.repeat(benign.length) + '1'.repeat(attacks.length),
    scores: [...benign, ...attacks],
    keys: keys ?? [...benign, ...attacks].map((_, at) => `${data}-${at}`),
  }) as unknown as GuardCard;

const even = (n: number): number[] => Array.from({ length: n }, (_, at) => at / n);

test('the threshold comes from the other data sets alone', () => {
  const [found] = leaveOneOut([
    card('one', even(200), [0.999, 0.5]),
    card(
      'two',
      even(100).map((x) => x / 2),
      [0.6],
    ),
  ]);
  const [one, two] = found?.leftOut ?? [];
  // Without "one": 1 of 100 benign texts up to 0.495 may reach it.
  expect(one).toMatchObject({ data: 'one', calibratedOn: 100, recall: { value: 1, n: 2 } });
  expect(one?.threshold).toBeCloseTo(0.4925, 12);
  expect(one?.falsePositiveRate.value).toBeGreaterThan(0.4);
  // Without "two": 2 of 200 up to 0.995 may reach it.
  expect(two).toMatchObject({ calibratedOn: 200, recall: { value: 0, n: 1 }, falsePositiveRate: { value: 0, n: 100 } });
});

test('near duplicates count once, and never on both sides', () => {
  const shared = even(150).map((_, at) => `key-${at >> 1}`);
  const [found] = leaveOneOut([
    card('one', even(150), [], shared),
    card('two', even(150), [], shared.with(0, 'other').with(1, 'other')),
  ]);
  expect(found?.leftOut[0]).toMatchObject({ calibratedOn: 1, threshold: null, recall: { n: 0 } });
  const [apart] = leaveOneOut([
    card('one', even(200), [], undefined),
    card(
      'two',
      even(300),
      [],
      even(300).map((_, at) => `k${at >> 1}`),
    ),
  ]);
  expect(apart?.leftOut[0]).toMatchObject({ calibratedOn: 150, falsePositiveRate: { n: 200 } });
});

test('too few benign texts, or none below 1, give no threshold', () => {
  const [few] = leaveOneOut([card('one', even(200), [1]), card('two', even(99), [1])]);
  expect(few?.leftOut[0]).toMatchObject({ threshold: null, recall: { value: null, n: 0 } });
  const [ones] = leaveOneOut([
    card('one', even(200), [1]),
    card(
      'two',
      even(200).map(() => 1),
      [1],
    ),
  ]);
  expect(ones?.leftOut[0]?.threshold).toBeNull();
});

test('a guard with one data set has nothing to leave out', () => {
  expect(leaveOneOut([card('one', even(200), [1])])).toEqual([]);
  expect(leaveOneOut([card('one', even(200), [1]), card('one', even(200), [1])])).toEqual([]);
});
