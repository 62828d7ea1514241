import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mostProbable } from '../../src/core/decision.js';
import type { Outcome, Status } from '../../src/core/outcome.js';
import type { CleanMetrics } from '../../src/results/clean/clean-metrics.js';
import { AttackFold, overallFold } from '../../src/results/metrics.js';
import { cleanRecount } from '../../src/results/report/recount.js';
import { cleanFold } from '../../src/tasks/clean.js';
import { matrix } from '../matrix.js';

const ABC = ['a', 'b', 'c'];

/** A row of three probabilities whose largest is `to`. */
const row = (to: number, confidence = 0.8): Float32Array =>
  Float32Array.from(ABC, (_, at) => (at === to ? confidence : (1 - confidence) / 2));

function metricsOf(truth: readonly number[], predicted: readonly number[], beta?: number): CleanMetrics {
  const fold = cleanFold(ABC, beta);
  truth.forEach((label, at) => {
    fold.add(label, row(predicted[at]));
  });
  return fold.metrics();
}

describe('cleanFold', () => {
  test("scikit-learn's example of f1_score, fbeta_score, precision_score and recall_score", () => {
    const { macroF1, microF1, fBeta, perClass, accuracy } = metricsOf([0, 1, 2, 0, 1, 2], [0, 2, 1, 0, 0, 1]);
    expect(macroF1).toBeCloseTo(0.8 / 3);
    expect(microF1).toBeCloseTo(1 / 3);
    expect(fBeta!.beta).toBe(0.5);
    expect(fBeta!.macro).toBeCloseTo(0.238095); // 0.7142... / 3
    expect(accuracy).toMatchObject({ value: 2 / 6, n: 6 });
    expect(perClass[0]).toEqual({ label: 'a', precision: 2 / 3, recall: 1, f1: 0.8, support: 2 });
    expect(perClass[1]).toEqual({ label: 'b', precision: 0, recall: 0, f1: 0, support: 2 });
  });

  test("scikit-learn's example of confusion_matrix", () => {
    expect(metricsOf([2, 0, 2, 2, 0, 1], [0, 0, 2, 2, 0, 2]).confusion).toEqual(matrix('2 0 0; 0 0 1; 1 0 2'));
  });

  test('of 10,000 labels, only cells above zero are kept', () => {
    const labels = Array.from({ length: 10_000 }, (_, at) => `label ${at}`);
    const fold = cleanFold(labels);
    for (let at = 0; at < 3; at++)
      fold.add(
        9_999,
        Float32Array.from(labels, (_, to) => Number(to === 9_998 + (at % 2))),
      );
    const clean = fold.metrics();
    expect([clean.confusion, clean.confusionCells]).toEqual([[], matrix('9999 9998 2; 9999 9999 1')]);
    const recount = cleanRecount(labels, mostProbable);
    expect(recount.contradicts(clean)).toBeUndefined();
    expect(recount.contradicts({ ...clean, macroF1: 0.9 })).toMatch(/macroF1/);
  });

  test("scikit-learn's example of classification_report", () => {
    const { perClass, macroF1 } = metricsOf([0, 1, 2, 2, 2], [0, 0, 2, 2, 1]);
    expect(perClass.map(({ precision, recall, f1, support }) => [precision, recall, f1, support])).toEqual([
      [0.5, 1, 2 / 3, 1],
      [0, 0, 0, 1],
      [1, 2 / 3, 0.8, 3],
    ]);
    expect(macroF1).toBeCloseTo((2 / 3 + 0.8) / 3);
  });

  test('F1 is F-beta at 1, F2 leans to recall', () => {
    const [truth, predicted] = matrix('0 0 0 1 1 2; 0 1 1 1 1 2');
    expect(metricsOf(truth, predicted, 1).fBeta!.macro).toBe(metricsOf(truth, predicted).macroF1);
    // Class a: P = 1, R = 1/3, F2 = 5 P R / (4 P + R) = 5/13; class b: P = 1/2, R = 1, F2 = 5/6; class c: 1.
    expect(metricsOf(truth, predicted, 2).fBeta!.macro).toBeCloseTo((5 / 13 + 5 / 6 + 1) / 3);
  });

  test('macro figures leave out a class that neither occurs nor is predicted', () => {
    const { macroF1, perClass } = metricsOf([0, 1, 0], [0, 1, 0]);
    expect(macroF1).toBe(1);
    expect(perClass[2]).toEqual({ label: 'c', precision: 0, recall: 0, f1: 0, support: 0 });
  });

  test('nothing folded: rates are null, figures zero', () => {
    const { accuracy, macroF1, microF1, calibration } = cleanFold(ABC).metrics();
    expect(accuracy.value).toBeNull();
    expect([macroF1, microF1, calibration!.error]).toEqual([0, 0, 0]);
  });

  test('calibration by hand: bins are open below, closed above', () => {
    const fold = cleanFold(['no', 'yes']);
    fold.add(1, Float32Array.of(0.25, 0.75)); // right, bin 8
    fold.add(0, Float32Array.of(0.25, 0.75)); // wrong, bin 8
    fold.add(0, Float32Array.of(0.5, 0.5)); // wrong (a tie), bin 5
    fold.add(1, Float32Array.of(0, 1)); // right, bin 10
    const { bins, error } = fold.metrics().calibration!;
    expect(bins).toHaveLength(10);
    expect(bins[7]).toEqual({ confidence: 0.75, accuracy: 0.5, n: 2 });
    expect(bins[4]).toEqual({ confidence: 0.5, accuracy: 0, n: 1 });
    expect(bins[9]).toEqual({ confidence: 1, accuracy: 1, n: 1 });
    expect(bins[0]).toEqual({ confidence: 0, accuracy: 0, n: 0 });
    expect(error).toBeCloseTo((2 * 0.25 + 1 * 0.5 + 0) / 4, 12);
  });

  test.each<[label: number, probabilities: number[]]>([
    [3, [1, 0, 0]],
    [-1, [1, 0, 0]],
    [0, [1, 0]],
    [0, [Number.NaN, Number.NaN, Number.NaN]],
    [0, [2, 0, 0]],
  ])('refuses label %d with %j', (label, probabilities) => {
    expect(() => cleanFold(ABC).add(label, Float32Array.from(probabilities))).toThrow(RangeError);
  });

  const answers = fc.array(fc.tuple(fc.nat(2), fc.nat(2), fc.float({ min: Math.fround(0.34), max: 1, noNaN: true })));

  test('the order of the answers changes no bit', () => {
    fc.assert(
      fc.property(
        answers.chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }))),
        ([list, shuffled]) => {
          const [one, other] = [list, shuffled].map((items) => {
            const fold = cleanFold(ABC);
            for (const [label, to, confidence] of items) fold.add(label, row(to, confidence));
            return fold.metrics();
          });
          expect(other).toEqual(one);
        },
      ),
    );
  });

  test('micro F1 is accuracy; supports add up; errors stay in [0, 1]', () => {
    fc.assert(
      fc.property(answers, (list) => {
        const fold = cleanFold(ABC);
        for (const [label, to, confidence] of list) fold.add(label, row(to, confidence));
        const { accuracy, microF1, perClass, confusion, calibration } = fold.metrics();
        expect(microF1).toBe(accuracy.value ?? 0);
        expect(perClass.map(({ support }) => support)).toEqual(
          confusion.map((counts) => counts.reduce((a, b) => a + b, 0)),
        );
        expect(perClass.reduce((total, { support }) => total + support, 0)).toBe(list.length);
        expect(calibration!.error).toBeGreaterThanOrEqual(0);
        expect(calibration!.error).toBeLessThanOrEqual(1);
      }),
    );
  });
});

const outcome = (status: Status, more: Partial<Outcome> = {}): Outcome => ({
  id: '1',
  attack: 'toy',
  status,
  text: 'good film',
  label: 0,
  from: 0,
  to: status === 'succeeded' ? 1 : 0,
  scoreBefore: 0.9,
  scoreAfter: 0.2,
  words: 2,
  changed: 1,
  queries: { asked: 10, computed: 5 },
  ...(status === 'succeeded' ? { adversarial: 'goood film' } : {}),
  ...more,
});

function attackMetrics(outcomes: readonly Outcome[]) {
  const fold = new AttackFold(['a', 'b']);
  for (const [at, one] of outcomes.entries()) fold.add(one, at);
  return fold.metrics();
}

describe('AttackFold', () => {
  test('the definitions of the report', () => {
    const metrics = attackMetrics([
      outcome('succeeded', { words: 4, changed: 1, queries: { asked: 10, computed: 8 } }),
      outcome('succeeded', { words: 3, changed: 1, label: 1, queries: { asked: 20, computed: 20 } }),
      outcome('failed', { words: 9, changed: 9, queries: { asked: 60, computed: 2 } }),
      outcome('skipped', { queries: { asked: 1, computed: 1 } }),
      outcome('errored', { queries: { asked: 7, computed: 7 } }),
    ]);
    expect(metrics).toMatchObject({ succeeded: 2, failed: 1, skipped: 1, errored: 1 });
    expect(metrics.attackSuccessRate).toMatchObject({ value: 2 / 3, n: 3 });
    expect(metrics.accuracyUnderAttack).toMatchObject({ value: 1 / 4, n: 4 });
    expect(metrics.perturbedWords).toBeCloseTo((1 / 4 + 1 / 3) / 2, 14);
    expect(metrics.queries).toEqual({ asked: 30, computed: 10 });
    expect(metrics.perClass).toMatchObject([
      { label: 'a', attackSuccessRate: { value: 1 / 2, n: 2 } },
      { label: 'b', attackSuccessRate: { value: 1, n: 1 } },
    ]);
  });

  test('why some were not tried, the most frequent reason first', () => {
    const failed = (reason: string) => outcome('failed', { reason });
    const { untried } = attackMetrics([
      failed('b'),
      failed('__proto__'),
      failed('a'),
      failed('b'),
      outcome('skipped', { reason: 'x' }),
    ]);
    expect(untried).toEqual([
      { reason: 'b', n: 2 },
      { reason: '__proto__', n: 1 },
      { reason: 'a', n: 1 },
    ]);
    expect(attackMetrics([outcome('failed')])).not.toHaveProperty('untried');
  });

  test('nothing attacked', () => {
    const metrics = attackMetrics([outcome('skipped'), outcome('errored')]);
    expect(metrics).toMatchObject({ perturbedWords: null, queries: { asked: 0, computed: 0 } });
    expect(metrics.attackSuccessRate.value).toBeNull();
    expect(metrics.accuracyUnderAttack).toMatchObject({ value: 0, n: 1 });
  });

  test('a success outside text space has no perturbed words; one in a text without words perturbs none', () => {
    const { adversarial: _, ...inEmbeddings } = outcome('succeeded');
    expect(attackMetrics([inEmbeddings]).perturbedWords).toBeNull();
    expect(attackMetrics([outcome('succeeded', { words: 0, changed: 0 })]).perturbedWords).toBe(0);
  });

  test('the order of the outcomes changes no bit', () => {
    const any = fc.record({
      status: fc.constantFrom<Status>('succeeded', 'failed', 'skipped', 'errored'),
      label: fc.nat(1),
      words: fc.integer({ min: 1, max: 50 }),
      changed: fc.nat(50),
      queries: fc.record({ asked: fc.nat(1000), computed: fc.nat(1000) }),
    });
    fc.assert(
      fc.property(
        fc
          .array(any)
          .chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }))),
        ([list, shuffled]) => {
          const build = (items: typeof list) =>
            attackMetrics(items.map(({ status, ...more }) => outcome(status, more)));
          expect(build(shuffled)).toEqual(build(list));
        },
      ),
    );
  });
});

describe('overallFold', () => {
  /** From a search that queried rewritten texts. */
  const fate = (status: Status) => ({ status, queries: { asked: 9, computed: 9 } });
  const overall = (examples: readonly (readonly Status[])[]) => {
    const fold = overallFold();
    examples.forEach((statuses, index) => {
      for (const status of statuses) fold.add(index, fate(status));
    });
    return fold.metrics();
  };

  test('broken when any attack broke it; open when one erred and none broke it', () => {
    const { attackSuccessRate, accuracyUnderAttack } = overall([
      ['failed', 'succeeded'],
      ['errored', 'succeeded'],
      ['failed', 'failed'],
      ['errored', 'failed'],
      ['skipped', 'skipped'],
    ]);
    expect(attackSuccessRate).toMatchObject({ value: 2 / 3, n: 3 });
    expect(accuracyUnderAttack).toMatchObject({ value: 1 / 4, n: 4 });
  });

  test("of one attack it says what that attack's fold says", () => {
    const status = fc.constantFrom<Status>('succeeded', 'failed', 'skipped', 'errored');
    fc.assert(
      fc.property(fc.array(status), (statuses) => {
        const { originalAccuracy, attackSuccessRate, accuracyUnderAttack } = attackMetrics(
          statuses.map((one) => outcome(one)),
        );
        expect(overall(statuses.map((one) => [one]))).toEqual({
          originalAccuracy,
          attackSuccessRate,
          accuracyUnderAttack,
        });
      }),
    );
  });

  test('a failure without any attempt is distinguished from a failed search', () => {
    const fold = overallFold();
    const idle = { asked: 1, computed: 1 };
    fold.add(0, { status: 'failed', reason: 'no word in the text', queries: idle });
    fold.add(1, { status: 'failed', queries: idle });
    fold.add(2, { status: 'failed', queries: idle });
    fold.add(2, fate('failed'));
    fold.add(3, { status: 'failed', queries: idle });
    fold.add(3, fate('succeeded'));
    expect(fold.metrics()).toMatchObject({ attackSuccessRate: { value: 1 / 4 }, untried: 2 });
  });

  test('any number of examples, in any order', () => {
    const fold = overallFold();
    for (let index = 4999; index >= 0; index--) fold.add(index, fate(index % 5 === 0 ? 'succeeded' : 'failed'));
    expect(fold.metrics().attackSuccessRate).toMatchObject({ value: 0.2, n: 5000 });
  });
});
