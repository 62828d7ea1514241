/** Curves of accuracy by edits and by queries: figures computed by hand, and properties over random outcomes. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Outcome, STATUSES, wasAttacked } from '../../src/core/outcome.js';
import { wilson } from '../../src/core/statistics/stats.js';
import {
  type Curves,
  type CurveTerms,
  curveBlocks,
  curvesMeasure,
  curvesSchema,
  unionCurves,
} from '../../src/results/measures/curves.js';
import { AttackFold, overallFold } from '../../src/results/metrics.js';

const outcomeOf = (fate: Partial<Outcome> & Pick<Outcome, 'status'>): Outcome => ({
  ...{ id: '1', attack: 'toy', text: 'a text', label: 0, from: 0, to: 0, scoreBefore: 0.9, scoreAfter: 0.2 },
  ...{ words: 2, changed: 1, queries: { asked: 9, computed: 9 } },
  ...fate,
});

const success = (editDistance: number, asked: number, changed = 1): Outcome =>
  outcomeOf({
    status: 'succeeded',
    adversarial: 'a txet',
    changed,
    queries: { asked, computed: asked },
    quality: { editDistance, similarity: 1, readability: 1 },
  });
const failure = (asked = 9): Outcome => outcomeOf({ status: 'failed', queries: { asked, computed: asked } });
const wrong = outcomeOf({ status: 'skipped' });

function curvesOf(outcomes: readonly Outcome[], terms: CurveTerms = {}): Curves | undefined {
  const fold = curvesMeasure(terms).fold();
  for (const [index, outcome] of outcomes.entries()) fold.add(outcome, index);
  return fold.value();
}

const values = (points: readonly { limit: number; accuracy: { value: number | null } }[] = []) =>
  Object.fromEntries(points.map(({ limit, accuracy }) => [limit, accuracy.value]));

describe('by hand', () => {
  // 8 examples: 2 wrong, 2 kept, and successes of 1, 2, 2 and 12 characters with 10, 15, 300 and 4,000 queries.
  const outcomes = [
    wrong,
    wrong,
    failure(),
    failure(),
    success(1, 10),
    success(2, 15, 2),
    success(2, 300),
    success(12, 4000, 3),
  ];

  test('characters: 6 of 8 without edits, 5 with one, 3 with two to ten, 2 with 20', () => {
    const { edits } = curvesOf(outcomes) as Curves;
    const three = Object.fromEntries([2, 3, 4, 5, 6, 7, 8, 9, 10].map((limit) => [limit, 3 / 8]));
    expect(edits?.unit).toBe('characters');
    expect(values(edits?.points)).toEqual({ 0: 6 / 8, 1: 5 / 8, ...three, 20: 2 / 8 });
    expect(edits?.range).toEqual([1, 10]);
    expect(edits?.area.value).toBeCloseTo((5 / 8 + 9 * (3 / 8)) / 10, 12);
    expect(edits?.area.low).toBeCloseTo(((wilson(5, 8).low as number) + 9 * (wilson(3, 8).low as number)) / 10, 12);
    expect(edits?.points[1]?.accuracy).toEqual(wilson(5, 8));
  });

  test('words, for attacks on words: two successes change one word, one two, one three', () => {
    const { edits } = curvesOf(outcomes, { level: 'word' }) as Curves;
    expect(edits?.unit).toBe('words');
    expect(values(edits?.points)).toMatchObject({ 0: 6 / 8, 1: 4 / 8, 2: 3 / 8, 3: 2 / 8, 10: 2 / 8 });
  });

  test('queries: the last limit covers every success', () => {
    const { queries, cut } = curvesOf(outcomes) as Curves;
    const [five, four, three, two] = [5 / 8, 4 / 8, 3 / 8, 2 / 8];
    expect(values(queries.points)).toEqual({
      ...{ 10: five, 20: four, 50: four, 100: four, 200: four, 500: three, 1000: three, 2000: three, 5000: two },
    });
    expect(queries.range).toEqual([10, 1000]);
    expect(queries.area.value).toBeCloseTo((five + 4 * four + 2 * three) / 7, 12);
    expect(cut).toBeUndefined();
  });

  test('a query budget ends the curve, and failures that spent it are counted', () => {
    const budget = { queryBudget: 300 };
    const { queries, cut } = curvesOf(
      [wrong, failure(300), failure(299), success(1, 10), success(1, 250)],
      budget,
    ) as Curves;
    expect(values(queries.points)).toEqual({ 10: 3 / 5, 20: 3 / 5, 50: 3 / 5, 100: 3 / 5, 200: 3 / 5, 300: 2 / 5 });
    expect(queries.range).toEqual([10, 300]);
    expect(cut).toBe(1);
    const text = JSON.stringify(
      curveBlocks([{ title: 'toy', lines: [{ name: 'a', alone: 'a', tone: 'hold', curves: { queries, cut: 1 } }] }]),
    );
    expect(text).toContain('the query budget ended the search for 1 example, which counts as not flipped');
  });

  test('a budget below ten queries leaves one point', () => {
    const { queries } = curvesOf([failure(5), success(1, 4)], { queryBudget: 5 }) as Curves;
    expect(values(queries.points)).toEqual({ 5: 1 / 2 });
    expect(queries.area).toEqual(wilson(1, 2));
  });

  test('no curve by edits where a success has no text, no curve at all where nothing was attacked', () => {
    const outside = outcomeOf({ status: 'succeeded' });
    expect(curvesOf([outside, failure()])?.edits).toBeUndefined();
    expect(curvesOf([failure()], { level: 'embedding' })?.edits).toBeUndefined();
    expect(curvesOf([wrong, outcomeOf({ status: 'errored' })])).toBeUndefined();
  });
});

const outcomes = fc.array(
  fc
    .record({
      status: fc.constantFrom(...STATUSES),
      edits: fc.integer({ min: 0, max: 60 }),
      asked: fc.integer({ min: 1, max: 400 }),
    })
    .map(({ status, edits, asked }) =>
      status === 'succeeded' ? success(edits, asked) : outcomeOf({ status, queries: { asked, computed: asked } }),
    ),
);

test('a curve never rises; it ends at the accuracy under attack; by edits it begins at the original accuracy', () => {
  fc.assert(
    fc.property(outcomes, fc.option(fc.constantFrom(400, 512, 5000), { nil: undefined }), (list, queryBudget) => {
      const fold = new AttackFold(['a', 'b'], [curvesMeasure({ queryBudget })]);
      for (const [index, outcome] of list.entries()) fold.add(outcome, index);
      const { curves, originalAccuracy, accuracyUnderAttack } = fold.metrics();
      if (curves === undefined) {
        expect(list.filter(({ status }) => wasAttacked(status))).toEqual([]);
        return;
      }
      curvesSchema.parse(curves);
      for (const { points, area, range } of [curves.edits as NonNullable<Curves['edits']>, curves.queries]) {
        const found = points.map(({ accuracy }) => accuracy.value as number);
        expect(found).toEqual([...found].sort((a, b) => b - a));
        const limits = points.map(({ limit }) => limit);
        expect(limits).toEqual([...new Set(limits)].sort((a, b) => a - b));
        expect(points.at(-1)?.accuracy).toEqual(accuracyUnderAttack);
        const within = points.filter(({ limit }) => limit >= (range[0] as number) && limit <= (range[1] as number));
        const inArea = within.map(({ accuracy }) => accuracy.value as number);
        expect(area.value).toBeGreaterThanOrEqual(Math.min(...inArea) - 1e-12);
        expect(area.value).toBeLessThanOrEqual(Math.max(...inArea) + 1e-12);
        expect(area.n).toBe(accuracyUnderAttack.n);
      }
      expect(curves.edits?.points[0]?.accuracy).toEqual(originalAccuracy);
    }),
  );
});

test('the order of the outcomes changes no bit', () => {
  fc.assert(
    fc.property(
      outcomes.chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }))),
      ([list, shuffled]) => {
        expect(curvesOf(shuffled)).toEqual(curvesOf(list));
      },
    ),
  );
});

describe('the curves of several attacks together', () => {
  /** `attacks[k][i]`: the outcome of example i under attack k. */
  const foldOf = (attacks: readonly (readonly Outcome[])[], queryBudget?: number) => {
    const [states, curves] = [overallFold(), unionCurves(queryBudget)];
    for (const list of attacks) {
      for (const [index, outcome] of list.entries()) {
        states.add(index, outcome);
        curves.add(outcome, index);
      }
    }
    return { all: states.metrics(), curves: curves.value(states.standings()) };
  };

  test('by hand: the least edits and the least queries of an example may be of different attacks', () => {
    // One example is wrong, one is kept, one falls to two characters or to 20 queries, and the last falls to one attack only.
    const first = [wrong, failure(30), success(2, 400), failure(30)];
    const second = [wrong, failure(30), success(7, 20), success(3, 40)];
    const { curves } = foldOf([first, second], 30);
    expect(values(curves?.edits?.points)).toMatchObject({ 0: 3 / 4, 1: 3 / 4, 2: 2 / 4, 3: 1 / 4, 10: 1 / 4 });
    expect(values(curves?.queries.points)).toEqual({ 10: 3 / 4, 20: 2 / 4, 30: 2 / 4 });
    // The example that one of the two flipped was not cut.
    expect(curves?.cut).toBe(1);
    expect(foldOf([[wrong], [wrong]]).curves).toBeUndefined();
    expect(foldOf([[outcomeOf({ status: 'succeeded' })], [failure()]]).curves?.edits).toBeUndefined();
  });

  const tries = fc.oneof(
    fc.integer({ min: 1, max: 400 }).map(failure),
    fc
      .tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 400 }))
      .map(([edits, asked]) => success(edits, asked)),
  );
  const panel = fc
    .integer({ min: 1, max: 4 })
    .chain((attacks) => {
      const tried = fc.array(tries, { minLength: attacks, maxLength: attacks });
      return fc.array(fc.oneof(tried, fc.constant(Array.from({ length: attacks }, () => wrong))), { minLength: 1 });
    })
    .map((examples) => (examples[0] as Outcome[]).map((_, at) => examples.map((of) => of[at] as Outcome)));

  test('they end at the accuracy under all attacks, and lie nowhere above the curve of one of them', () => {
    fc.assert(
      fc.property(panel, (attacks) => {
        const { all, curves } = foldOf(attacks);
        if (curves === undefined) return;
        curvesSchema.parse(curves);
        expect(curves.queries.points.at(-1)?.accuracy).toEqual(all.accuracyUnderAttack);
        expect(curves.edits?.points.at(-1)?.accuracy).toEqual(all.accuracyUnderAttack);
        expect(curves.edits?.points[0]?.accuracy).toEqual(all.originalAccuracy);
        for (const list of attacks) {
          const alone = foldOf([list]);
          for (const by of ['edits', 'queries'] as const) {
            const of = new Map(
              alone.curves?.[by]?.points.map(({ limit, accuracy }) => [limit, accuracy.value as number]),
            );
            for (const { limit, accuracy } of curves[by]?.points ?? [])
              expect(accuracy.value).toBeLessThanOrEqual((of.get(limit) ?? 1) + 1e-12);
          }
        }
      }),
    );
  });

  test('of one attack on characters they are its own', () => {
    fc.assert(
      fc.property(outcomes, (list) => {
        expect(foldOf([list]).curves).toEqual(curvesOf(list));
      }),
    );
  });
});
