/** Which models of a leaderboard are distinguishable, which cards share a table, and cards that contradict themselves. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BESIDE_GOAL, type Outcome, type Status } from '../../src/core/outcome.js';
import { mcnemarExact } from '../../src/core/statistics/paired.js';
import { wilson } from '../../src/core/statistics/stats.js';
import { cardSchema, type StandingCard, worstCaseOf, worstOutcomes } from '../../src/results/card/card.js';
import { indistinguishable, leaderboardTables } from '../../src/results/card/leaderboard.js';

function cardOf(name: string, outcomes: string, changes: Partial<StandingCard> = {}): StandingCard {
  const worst = worstCaseOf(outcomes);
  const counted = (letters: string): number => [...outcomes].filter((letter) => letters.includes(letter)).length;
  const right = counted('01');
  return {
    standard: 'standard@2',
    model: { name, sha256: name, labels: ['a', 'b'] },
    data: { name: 'data', sha256: 'd', examples: outcomes.length, examplesSha256: 'e' },
    seed: 42,
    queryBudget: null,
    conditions: { goal: 'untargeted', constraints: [] },
    originalAccuracy: wilson(right, right + counted('s')),
    worstCaseAccuracy: worst,
    threatModels: [
      { name: 'characters', limits: [], worstCaseAccuracy: worst, attackSuccessRate: wilson(counted('1'), right) },
    ],
    outcomes,
    toolVersion: '0.1.0',
    run: name,
    replay: 'robust attack',
    verdict: 'none',
    reasons: [],
    ...changes,
  };
}

const file = (card: StandingCard) => ({ file: `${card.model.name}.json`, card });

test('the worst case of an example: flipped by any attack, else unknown where one errored', () => {
  const fold = worstOutcomes();
  const add = (id: string, status: Status, reason?: string) =>
    fold.add({ id, status, ...(reason && { reason }) } as Outcome);
  for (const [id, first, second] of [
    ['1', 'failed', 'succeeded'],
    ['2', 'failed', 'tied'],
    ['3', 'skipped', 'skipped'],
    ['4', 'errored', 'failed'],
    ['5', 'succeeded', 'errored'],
  ] as const) {
    add(id, first);
    add(id, second);
  }
  add('6', 'skipped', BESIDE_GOAL);
  expect(fold.letters()).toBe('10s-1.');
  expect(worstCaseOf(fold.letters())).toMatchObject({ value: 1 / 4, n: 4 });
});

test('by hand: 10 of 40 and 30 of 40 differ, 10 and 12 of 40 do not', () => {
  const [ten, twelve, thirty] = [10, 12, 30].map((kept) => '0'.repeat(kept) + '1'.repeat(40 - kept)) as [
    string,
    string,
    string,
  ];
  // Twenty examples on which only one is robust: p = 2^-19; two examples: p = 0.5.
  expect(mcnemarExact(0, 20)).toBeCloseTo(2 ** -19, 12);
  expect(mcnemarExact(0, 2)).toBe(0.5);
  expect(indistinguishable([thirty, twelve, ten])).toEqual([[], [2], [1]]);
  expect(indistinguishable([ten, ten])).toEqual([[1], [0]]);
  expect(indistinguishable([ten])).toEqual([[]]);
});

test('an example that errored for one model counts for neither', () => {
  expect(indistinguishable(['0'.repeat(40), '-'.repeat(40)])).toEqual([[1], [0]]);
  expect(indistinguishable(['0'.repeat(40), '1'.repeat(40)])).toEqual([[], []]);
});

test('being alike is mutual, and more models never make two distinguishable that were not', () => {
  const letters = fc.array(
    fc.string({ unit: fc.constantFrom('0', '1', 's', '-', '.'), minLength: 60, maxLength: 60 }),
    {
      minLength: 1,
      maxLength: 6,
    },
  );
  fc.assert(
    fc.property(letters, (all) => {
      const alike = indistinguishable(all);
      for (const [a, others] of alike.entries()) for (const b of others) expect(alike[b]).toContain(a);
      const fewer = indistinguishable(all.slice(0, -1));
      for (const [a, others] of fewer.entries()) for (const b of others) expect(alike[a]).toContain(b);
    }),
  );
});

test('rows are sorted, equal accuracies share a rank, and rows name those that they do not differ from', () => {
  const [table] = leaderboardTables(
    [cardOf('weak', '1'.repeat(40)), cardOf('b', '0'.repeat(40)), cardOf('a', '0'.repeat(40))].map(file),
  );
  expect(
    table?.rows.map(({ card, rank, notDistinguishableFrom }) => [card.model.name, rank, notDistinguishableFrom]),
  ).toEqual([
    ['a', 1, [2]],
    ['b', 1, [1]],
    ['weak', 3, []],
  ]);
});

test.each([
  ['another seed', { seed: 1 }],
  ['another version', { standard: 'standard@1' }],
  ['another query budget', { queryBudget: 100 }],
  ['another goal', { conditions: { goal: 'score', constraints: [] } }],
  ['other examples', { data: { name: 'data', sha256: 'd', examples: 4, examplesSha256: 'other' } }],
] satisfies [string, Partial<StandingCard>][])('%s is in a table of its own', (_, changes) => {
  const cards = [cardOf('a', '0011'), cardOf('b', '0001'), cardOf('c', '0011', changes)];
  expect(leaderboardTables(cards.map(file)).map(({ rows }) => rows.length)).toEqual([2, 1]);
});

test('the order of the keys of the conditions does not matter', () => {
  const turned = { conditions: { constraints: [], goal: 'untargeted' } };
  expect(leaderboardTables([cardOf('a', '01'), cardOf('b', '01', turned)].map(file))).toHaveLength(1);
});

test.each(['0011', '0000', '01s-', '1111'])(
  'no figure of a card of %s can be changed, nor its outcomes alone',
  (outcomes) => {
    const card = cardOf('a', outcomes);
    const isValid = (changed: unknown): boolean => cardSchema.safeParse(changed).success;
    expect(isValid(card)).toBe(true);
    const edited: string[] = [];
    const edit = (value: unknown, path: readonly (string | number)[]): void => {
      if (typeof value === 'object' && value !== null)
        for (const [key, own] of Object.entries(value)) edit(own, [...path, key]);
      if (typeof value !== 'number') return;
      const copy = structuredClone(card);
      const place = path
        .slice(0, -1)
        .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], copy) as Record<string, number>;
      place[path.at(-1)!] = value > 0.5 ? value - 0.03 : value + 0.03;
      if (isValid(copy)) edited.push(path.join('.'));
    };
    const { originalAccuracy, worstCaseAccuracy, threatModels } = card;
    edit({ originalAccuracy, worstCaseAccuracy, threatModels }, []);
    expect(edited).toEqual([]);
    const others = ['1', '0', 's', '-'].flatMap((letter) => [letter.repeat(4), `${letter}${outcomes.slice(1)}`]);
    const counts = (letters: string): string => [...letters].sort().join('');
    expect(
      others.filter((other) => counts(other) !== counts(outcomes) && isValid({ ...card, outcomes: other })),
    ).toEqual([]);
  },
);

test('a card whose accuracy is not that of its outcomes is refused, and one that is inconclusive without a reason', () => {
  const card = cardOf('a', '0011');
  expect(cardSchema.safeParse(card).success).toBe(true);
  const better = { ...card, worstCaseAccuracy: { value: 1, low: 0.5, high: 1, n: 4 } };
  expect(cardSchema.safeParse(better).error?.issues[0]?.message).toBe(
    'the worst-case accuracy is that of its outcomes',
  );
  expect(cardSchema.safeParse({ ...card, verdict: 'inconclusive' }).success).toBe(false);
  expect(cardSchema.safeParse({ ...card, reasons: ['too few examples'] }).success).toBe(false);
});
