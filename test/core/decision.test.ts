import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { argmax } from '../../src/core/argmax.js';
import {
  type DecisionRule,
  type LabelSetDecision,
  mostProbable,
  type NumberDecision,
  type ThresholdDecision,
} from '../../src/core/decision.js';
import { BESIDE_GOAL } from '../../src/core/outcome.js';
import { clopperPearson } from '../../src/core/statistics/stats.js';
import { overallFold } from '../../src/results/metrics.js';
import { goals, usualGoal } from '../../src/search/goals.js';
import { cleanFold } from '../../src/tasks/clean.js';
import { decisionOf, decisionText } from '../../src/tasks/decide.js';
import { taskOf } from '../../src/tasks/index.js';
import { shiftGoal } from '../../src/tasks/number/goals.js';
import { matrix } from '../matrix.js';
import { refusal } from '../refusal.js';

const LABELS = ['safe', 'injection', 'jailbreak'];
const rule = (changes: object = {}): DecisionRule => ({
  kind: 'threshold',
  positive: ['injection', 'jailbreak'],
  by: 'max',
  at: 0.7,
  ...changes,
});
const detector = (changes: object = {}): ThresholdDecision => decisionOf(rule(changes), LABELS) as ThresholdDecision;
const row = (...scores: number[]): Float32Array => Float32Array.from(scores);

describe('a detector', () => {
  test.each([
    ['max', row(0.2, 0.5, 0.3), false],
    ['sum', row(0.2, 0.5, 0.3), true],
    ['max', row(0.25, 0.05, 0.7), true],
  ] as const)('by %s of %s', (by, scores, detects) => {
    expect(detector({ by }).detects(scores)).toBe(detects);
  });

  test('reads a row as the most probable label of its side, and a wrong label of the right side as right', () => {
    const of = detector();
    expect(of.label(row(0.1, 0.75, 0.15))).toBe(1);
    expect(of.label(row(0.35, 0.65, 0))).toBe(0);
    expect(of.right(row(0.1, 0.75, 0.15), { label: 2 })).toBe(true);
    expect(of.right(row(0.1, 0.75, 0.15), { label: 0 })).toBe(false);
    expect(of.readRight({ label: 2, from: 1 })).toBe(true);
    expect(of.readRight({ label: 0, from: 1 })).toBe(false);
    expect(of.confidence(row(0.1, 0.75, 0.15), { label: 2 })).toBeCloseTo(0.75, 6);
    expect(of.confidence(row(0.1, 0.75, 0.15), { label: 0 })).toBeCloseTo(0.25, 6);
  });

  test('with two labels and a threshold of one half decides as the most probable label does', () => {
    const half = decisionOf({ kind: 'threshold', positive: ['yes'], by: 'max', at: 0.5 }, ['no', 'yes']);
    fc.assert(
      fc.property(fc.float({ min: 0, max: 1, noNaN: true }), fc.nat(1), (score, label) => {
        fc.pre(Math.abs(score - 0.5) > 1e-6);
        const scores = row(1 - score, score);
        expect(half.label(scores)).toBe(argmax(scores));
        expect(half.right(scores, { label })).toBe(mostProbable.right(scores, { label }));
      }),
    );
  });

  test.each([[[]], [['jailbrake']], [LABELS]])('of %j is refused', (positive) => {
    expect(() => detector({ positive })).toThrow(RangeError);
  });
});

const labeller = (at = 0.5): LabelSetDecision =>
  decisionOf({ kind: 'multi-label', at: LABELS.map(() => at) }, LABELS) as LabelSetDecision;

describe('any number of labels', () => {
  test('are those that reach their thresholds; right are all of them and no other', () => {
    const of = decisionOf({ kind: 'multi-label', at: [0.5, 0.3, 0.9] }, LABELS);
    expect(of.labels(row(0.6, 0.31, 0.8))).toEqual([0, 1]);
    expect(of.right(row(0.6, 0.31, 0.8), { label: 0, labels: [0, 1] })).toBe(true);
    expect(of.right(row(0.6, 0.31, 0.8), { label: 0, labels: [0] })).toBe(false);
    expect(of.right(row(0.1, 0.1, 0.1), { label: -1, labels: [] })).toBe(true);
    expect(of.label(row(0.1, 0.1, 0.1))).toBe(-1);
  });

  const goalOf = (name: string, of = labeller()) =>
    goals.find((goal) => goal.name === name)?.create({ confidence: 0 }, LABELS, of);

  test('a label is lost where it was true and found', () => {
    const goal = goalOf('label-lost');
    const own = goal?.of?.({ label: 0, labels: [0, 2] }, row(0.9, 0.6, 0.6));
    expect(own?.label).toBe(2); // the nearest to its threshold
    expect(own?.goal.reached(row(0.9, 0.1, 0.6), 0)).toBe(false);
    expect(own?.goal.reached(row(0.4, 0.6, 0.6), 0)).toBe(true);
    expect(goal?.of?.({ label: 0, labels: [0] }, row(0.4, 0.6, 0.6))).toBeUndefined();
    expect(goal?.concerns?.({ label: -1, labels: [] })).toBe(false);
  });

  test('a label is gained where it was neither true nor found', () => {
    const own = goalOf('label-gained')?.of?.({ label: 0, labels: [0] }, row(0.4, 0.6, 0.2));
    expect(own?.goal.target).toBe(2);
    expect(own?.goal.reached(row(0.9, 0.9, 0.2), 0)).toBe(false);
    expect(own?.goal.reached(row(0.4, 0.1, 0.5), 0)).toBe(true);
  });

  test('untargeted is any change of a set that was right', () => {
    const goal = goalOf('untargeted');
    expect(goal?.of?.({ label: 0, labels: [0] }, row(0.6, 0.6, 0.2))).toBeUndefined();
    const own = goal?.of?.({ label: 0, labels: [0] }, row(0.6, 0.4, 0.2));
    expect(own?.goal.reached(row(0.7, 0.45, 0.1), 0)).toBe(false);
    expect(own?.goal.reached(row(0.6, 0.5, 0.2), 0)).toBe(true);
  });

  test('no score falls as a row nears a goal, and a goal is reached only above every score that does not', () => {
    const scores = fc.array(fc.float({ min: 0, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 });
    const names = ['label-lost', 'label-gained'] as const;
    fc.assert(
      fc.property(
        scores,
        scores,
        scores,
        fc.subarray([0, 1, 2]),
        fc.constantFrom(...names),
        (a, b, c, labels, name) => {
          const own = goalOf(name)?.of?.({ label: labels[0] ?? -1, labels }, row(...a));
          fc.pre(own !== undefined);
          const [x, y] = [row(...b), row(...c)].map((each) => ({
            score: own?.goal.score(each, 0) as number,
            reached: own?.goal.reached(each, 0),
          })) as [{ score: number; reached: boolean }, { score: number; reached: boolean }];
          if (x.reached && !y.reached) expect(x.score).toBeGreaterThanOrEqual(y.score);
        },
      ),
    );
  });
});

describe('goals', () => {
  const of = (name: string, decision = detector()) =>
    goals.find((goal) => goal.name === name)?.create({ confidence: 0 }, LABELS, decision);

  test('evade is after positives, alarm after negatives, untargeted after both', () => {
    expect([1, 0].map((label) => of('evade')?.concerns?.({ label }))).toEqual([true, false]);
    expect([1, 0].map((label) => of('alarm')?.concerns?.({ label }))).toEqual([false, true]);
    const both = of('untargeted');
    expect(both?.concerns).toBeUndefined();
    expect(both?.reached(row(0.6, 0.4, 0), 1)).toBe(true);
    expect(both?.reached(row(0.6, 0.4, 0), 0)).toBe(false);
    expect(both?.reached(row(0.2, 0.8, 0), 0)).toBe(true);
  });

  test('are the usual one of each decision, and refused of another', async () => {
    expect([mostProbable, detector(), labeller()].map(usualGoal)).toEqual(['untargeted', 'evade', 'label-lost']);
    await refusal(() => of('evade', mostProbable as ThresholdDecision));
    await refusal(() => of('label-lost'));
  });
});

describe('figures', () => {
  /** scikit-learn's own example of roc_auc_score and average_precision_score: labels 0 0 1 1, scores 0.1 0.4 0.35 0.8. */
  test('of a detector are those of scikit-learn', () => {
    const fold = cleanFold(
      ['no', 'yes'],
      undefined,
      decisionOf({ kind: 'threshold', positive: ['yes'], by: 'max', at: 0.38 }, ['no', 'yes']),
    );
    for (const [label, score] of [
      [0, 0.1],
      [0, 0.4],
      [1, 0.35],
      [1, 0.8],
    ] as const)
      fold.add(label, row(1 - score, score));
    const { auroc, averagePrecision, recall, falsePositiveRate, precision, curve, accuracy } = fold.metrics();
    expect(auroc?.value).toBeCloseTo(0.75, 12);
    expect(averagePrecision?.value).toBeCloseTo(0.8333333333333333, 12);
    expect([recall, falsePositiveRate, precision, accuracy].map((rate) => rate?.value)).toEqual([0.5, 0.5, 0.5, 0.5]);
    expect(curve?.map((at) => [at.falsePositiveRate.value, at.recall.value])).toEqual(
      matrix('0 0.5; 0.5 0.5; 0.5 1; 1 1'),
    );
  });

  /** By hand: true {0,1} {1} {} {2}, found {0} {1,2} {} {2}: 3 hits of 4 found and 4 true; two sets exact. */
  test('of several labels are those of scikit-learn', () => {
    const fold = cleanFold(LABELS, undefined, labeller());
    fold.add({ label: 0, labels: [0, 1] }, row(0.9, 0.1, 0.1));
    fold.add({ label: 1, labels: [1] }, row(0.1, 0.9, 0.9));
    fold.add({ label: -1, labels: [] }, row(0.1, 0.1, 0.1));
    fold.add({ label: 2, labels: [2] }, row(0.1, 0.2, 0.9));
    const { accuracy, microF1, macroF1, labelSets, perClass, confusion } = fold.metrics();
    expect(accuracy.value).toBe(0.5);
    expect(labelSets?.microPrecision.value).toBe(0.75);
    expect(labelSets?.microRecall.value).toBe(0.75);
    expect(microF1).toBe(0.75);
    // F1 of each: 1, 2/3, 2/3
    expect(macroF1).toBeCloseTo((1 + 2 / 3 + 2 / 3) / 3, 12);
    expect(perClass.map(({ recall }) => recall)).toEqual([1, 0.5, 1]);
    expect(labelSets?.perLabel[2]?.falsePositiveRate.value).toBeCloseTo(1 / 3, 12);
    expect(confusion).toEqual([]);
  });

  test('under attack leave out what the goal is not after', () => {
    const fold = overallFold(detector());
    const outcome = (label: number, status: 'succeeded' | 'failed' | 'skipped', reason?: string) => ({
      label,
      status,
      queries: { asked: 2, computed: 2 },
      ...(reason && { reason }),
    });
    [
      outcome(1, 'succeeded'),
      outcome(2, 'failed'),
      outcome(1, 'skipped'),
      outcome(0, 'skipped', BESIDE_GOAL),
      outcome(2, 'failed'),
    ].forEach((each, at) => {
      fold.add(at, each);
    });
    const { recallUnderAttack, falsePositiveRateUnderAttack, accuracyUnderAttack } = fold.metrics();
    expect(recallUnderAttack).toMatchObject({ value: 0.5, n: 4 });
    expect(accuracyUnderAttack).toMatchObject({ value: 0.5, n: 4 });
    expect(falsePositiveRateUnderAttack).toBeUndefined();
  });
});

/** scipy.stats.binomtest(k, n).proportion_ci(method="exact") */
test.each([
  [0, 10, 0, 0.30849710781876083],
  [10, 10, 0.6915028921812392, 1],
  [5, 100, 0.016431878767832926, 0.1128349111054628],
])('the exact interval of %i of %i', (k, n, low, high) => {
  const found = clopperPearson(k, n);
  expect(found.low).toBeCloseTo(low, 9);
  expect(found.high).toBeCloseTo(high, 9);
});

test('kinds are distinguished, and described in a few words', () => {
  const names = [detector(), labeller(), mostProbable].map((each) => taskOf(each).name);
  expect(names).toEqual(['threshold', 'multi-label', 'argmax']);
  expect(decisionText(rule())).toBe('the highest of injection, jailbreak from a score of 0.7 on');
  expect(decisionText(labeller().rule)).toBe('each label from a score of 0.5 on');
});

test.each([
  [4, 3.5, false],
  [4, 3.75, true],
  [4, 4.5, false],
  [4, 4.499, true],
  [0.7, 0.2, false],
])(
  'at a delta of 0.5 the answer %d to a text of %d is right: %s, and a move from one to the other succeeds where it is not',
  (answer, truth, right) => {
    const number = decisionOf({ kind: 'regression', delta: 0.5 }, ['stars']) as NumberDecision;
    expect(number.right(row(answer), { label: 0, value: truth })).toBe(right);
    const from = shiftGoal(number, 'either').of?.({ label: 0, value: truth }, row(truth));
    expect(from?.goal.reached(row(answer), 0)).toBe(!right);
  },
);
