/** Figures of two runs of one decision: as those of one run, resampled in pairs. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DecisionRule } from '../../src/core/decision.js';
import type { Outcome } from '../../src/core/outcome.js';
import { random } from '../../src/core/random.js';
import { auroc } from '../../src/core/statistics/auroc.js';
import { averagePrecision } from '../../src/core/statistics/average-precision.js';
import { pairedBootstrap } from '../../src/core/statistics/bootstrap.js';
import { regressionMetrics } from '../../src/results/clean/regression-metrics.js';
import { areaUnderRoc, meanPrecision, numberScores } from '../../src/results/comparison/figure-statistics.js';
import { answersFold } from '../../src/tasks/answers.js';
import { cleanFold } from '../../src/tasks/clean.js';
import { decisionDifference, pairedFigures } from '../../src/tasks/compare.js';
import { decisionOf } from '../../src/tasks/decide.js';
import type { LabelSetAnswers } from '../../src/tasks/label-set/compare.js';
import type { NumberAnswers } from '../../src/tasks/number/compare.js';
import type { StoredAnswers } from '../../src/tasks/task.js';

const tens = fc.integer({ min: 0, max: 10 }).map((ten) => ten / 10);
/** Examples repeated so often. */
const repeated = <T>(items: readonly T[], times: readonly number[]): T[] =>
  items.flatMap((item, at) => Array.from({ length: times[at] as number }, () => item));

test('a weighted figure is that of examples repeated so often', () => {
  const example = fc.record({
    positive: fc.boolean(),
    score: tens,
    value: tens,
    times: fc.integer({ min: 0, max: 3 }),
  });
  fc.assert(
    fc.property(fc.array(example, { minLength: 4, maxLength: 30 }), (examples) => {
      const times = examples.map((each) => each.times);
      const [positive, scores, values] = [
        examples.map((each) => each.positive),
        examples.map((each) => each.score),
        examples.map((each) => each.value),
      ];
      const all = repeated(examples, times);
      const kind = (is: boolean) =>
        Float64Array.from(all.filter((each) => each.positive === is).map(({ score }) => score)).sort();
      const near = (found: number | undefined, wanted: number | undefined) =>
        wanted === undefined ? expect(found).toBeUndefined() : expect(found).toBeCloseTo(wanted, 9);
      near(areaUnderRoc(positive, scores)(times), auroc(kind(true), kind(false))?.value);
      near(meanPrecision(positive, scores)(times), averagePrecision(kind(true), kind(false))?.value ?? undefined);
      const by = numberScores(values, scores);
      const wanted = regressionMetrics(
        all.map(({ value }) => value),
        all.map(({ score }) => score),
      );
      near(by.meanSquaredError(times), wanted.meanSquaredError?.value);
      near(by.meanAbsoluteError(times), wanted.meanAbsoluteError?.value);
      if (all.length < 4) return;
      for (const name of ['pearson', 'spearman'] as const) {
        // Rounding may leave a constant list a spread of 1e-17.
        if (wanted[name] !== undefined && Math.abs(wanted[name].value) < 1) near(by[name](times), wanted[name].value);
      }
    }),
  );
});

const labels = ['a', 'b', 'c'];
const RULES: readonly DecisionRule[] = [
  { kind: 'threshold', positive: ['a', 'c'], by: 'max', at: 0.5 },
  { kind: 'multi-label', at: [0.5, 0.3, 0.7] },
];
/** Outcomes of a run for rows of scores. */
function kept(rule: DecisionRule, rows: readonly { truth: number[]; row: number[] }[]): StoredAnswers {
  const decision = decisionOf(rule, labels);
  const fold = answersFold(rule, labels);
  rows.forEach(({ truth, row }, at) => {
    const example = { label: truth[0] ?? -1, labels: truth };
    fold.add(at, {
      ...{ ...example, from: decision.label(row), fromLabels: decision.labels(row), status: 'failed' },
      scoreBefore: Math.round(decision.confidence(row, example) * 1e6) / 1e6,
    } as unknown as Outcome);
  });
  return fold.answers() as StoredAnswers;
}

test.each(RULES.map((rule) => [rule.kind, rule] as const))(
  '%s: the figures of a comparison are those of the clean pass',
  (_, rule) => {
    const one = fc.record({
      truth: rule.kind === 'threshold' ? fc.nat(2).map((label) => [label]) : fc.subarray([0, 1, 2]),
      row: fc.tuple(tens, tens, tens).map((row) => [...row]),
    });
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 25 }), (rows) => {
        const fold = cleanFold(labels, undefined, decisionOf(rule, labels));
        for (const { truth, row } of rows) fold.add({ label: truth[0] ?? -1, labels: truth }, Float32Array.from(row));
        const clean = fold.metrics();
        const answers = kept(
          rule,
          rows.map(({ truth, row }) => ({ truth, row: [...Float32Array.from(row)] })),
        );
        for (const { metric, a, b, difference, p } of pairedFigures({ rule, answers }, { rule, answers }, 7)) {
          const wanted = metric.split('.').reduce<unknown>((of, name) => {
            if (Array.isArray(of)) return of.find(({ label }) => label === name);
            return (of as Record<string, unknown> | undefined)?.[name];
          }, clean);
          const value =
            typeof wanted === 'number' ? wanted : ((wanted as { value: number | null } | undefined)?.value ?? null);
          if (value === null) expect(a.value).toBeNull();
          else if (a.value !== null) expect(a.value).toBeCloseTo(value, 5);
          expect(b).toEqual(a);
          // No run differs from itself.
          if (difference.value !== null) expect([difference.value, p]).toEqual([0, 1]);
        }
      }),
      { numRuns: 20 },
    );
  },
);

test('the bootstrap: its interval is about that of theory, the same seed gives the same bytes', () => {
  const n = 400;
  const stream = random(7, 'numbers');
  const [a, b] = [0, 0.2].map((mean) => Array.from({ length: n }, () => mean + stream.normal()));
  const mean =
    (values: readonly number[] = []) =>
    (times: ArrayLike<number>) =>
      values.reduce((sum, value, at) => sum + value * (times[at] as number), 0) / n;
  const of = (seed: number) => pairedBootstrap(n, [{ a: mean(a), b: mean(b), differing: n }], random(seed, 'x'));
  const [found] = of(1);
  const differences = (b as number[]).map((value, at) => value - (a?.[at] as number));
  const centre = differences.reduce((sum, each) => sum + each, 0) / n;
  const spread = 1.96 * Math.sqrt(differences.reduce((sum, each) => sum + (each - centre) ** 2, 0) / n / n);
  expect(found?.difference.value).toBeCloseTo(centre, 9);
  expect((found?.difference.low as number) / (centre - spread)).toBeCloseTo(1, 0);
  expect(Math.abs((found?.difference.high as number) - (centre + spread))).toBeLessThan(0.15 * spread);
  expect(of(1)).toEqual([found]);
  expect(of(2)).not.toEqual([found]);
});

test('no p-value is below what swapping the answers that differ could give', () => {
  const answers = (wrong: number): NumberAnswers => ({
    kind: 'regression',
    truth: Array.from({ length: 60 }, (_, at) => at),
    answers: Array.from({ length: 60 }, (_, at) => at + (at < wrong ? 5 : 0)),
  });
  const rule: DecisionRule = { kind: 'regression', delta: 1 };
  const of = (wrong: number) =>
    pairedFigures({ rule, answers: answers(0) }, { rule, answers: answers(wrong) }, 7).find(
      ({ metric }) => metric === 'regression.meanAbsoluteError',
    );
  expect(of(3)?.pWorse).toBeGreaterThanOrEqual(2 ** -3);
  expect(of(30)?.pWorse).toBeLessThan(1e-6);
  expect(of(0)?.pWorse).toBe(1);
});

const detector = (at: number, rest: object = {}): DecisionRule => ({
  ...{ kind: 'threshold', positive: ['a'], by: 'max', at, ...rest },
});
const calibrated = (at: number, data = 'd'): DecisionRule =>
  detector(at, { calibration: { wanted: 0.01, data, falsePositiveRate: { value: 0, low: 0, high: 1, n: 9 } } });
const sets = (...at: number[]): DecisionRule => ({ kind: 'multi-label', at });

test.each<[string, DecisionRule | undefined, DecisionRule | undefined, string | undefined]>([
  ['both the most probable label', undefined, undefined, undefined],
  ['a detector and none', detector(0.5), undefined, 'incomparable'],
  ['a detector and label sets', detector(0.5), sets(0.5, 0.5, 0.5), 'incomparable'],
  ['other positive labels', detector(0.5), detector(0.5, { positive: ['b'] }), 'incomparable'],
  ['more positive labels', detector(0.5), detector(0.5, { positive: ['a', 'b'] }), 'incomparable'],
  ['the same detector', detector(0.5), detector(0.5, { by: 'sum' }), undefined],
  [
    'positive labels in another order',
    detector(0.5, { positive: ['a', 'b'] }),
    detector(0.5, { positive: ['b', 'a'] }),
    undefined,
  ],
  [
    'another score of several labels',
    detector(0.5, { positive: ['a', 'b'] }),
    detector(0.5, { positive: ['a', 'b'], by: 'sum' }),
    'moved',
  ],
  ['another threshold', detector(0.5), detector(0.6), 'moved'],
  ['thresholds of one rule', calibrated(0.5), calibrated(0.6), 'calibrated'],
  ['thresholds found by other data', calibrated(0.5), calibrated(0.6, 'e'), 'moved'],
  ['label sets', sets(0.5, 0.3, 0.2), sets(0.5, 0.3, 0.2), undefined],
  ['another threshold of a label', sets(0.5, 0.3, 0.2), sets(0.5, 0.3, 0.4), 'moved'],
  ['another delta', { kind: 'regression', delta: 1 }, { kind: 'regression', delta: 2 }, 'moved'],
])('%s', (_, a, b, kind) => {
  expect(decisionDifference({ rule: a, labels }, { rule: b, labels })?.kind).toBe(kind);
});

test('label sets are matched by name', () => {
  const a = { rule: sets(0.1, 0.2, 0.3), labels };
  expect(decisionDifference(a, { rule: sets(0.3, 0.2, 0.1), labels: labels.toReversed() })).toBeUndefined();
  expect(decisionDifference(a, { rule: sets(0.1, 0.2, 0.3), labels: ['a', 'b', 'd'] })?.kind).toBe('incomparable');
  const answers = kept(a.rule, [{ truth: [0], row: [0.9, 0, 0.9] }]) as LabelSetAnswers;
  const turned: LabelSetAnswers = { ...answers, labels: answers.labels.toReversed() };
  const figures = pairedFigures({ rule: a.rule, answers }, { rule: a.rule, answers: turned }, 7);
  for (const { difference } of figures) if (difference.value !== null) expect(difference.value).toBe(0);
});
