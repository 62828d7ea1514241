/** Two baselines against each other: which examples are compared, what keeps them apart, and when the later one is better. */
import { describe, expect, test } from 'vitest';
import { type Baseline, compareBaseline, isBetter } from '../../src/gate/index.js';
import { refusal } from '../refusal.js';

const ids = Array.from({ length: 40 }, (_, at) => `r${at}`);
const every = (count: number, letter: string, other = '0'): string =>
  ids.map((_, at) => (at % count === 0 ? letter : other)).join('');
const attack = (outcomes: string, constraints: readonly string[] = []) => ({ name: 'a', constraints, outcomes });
const baseline = (outcomes: string, more: Partial<Baseline> = {}): Baseline => ({
  ...{ schemaVersion: 1, kind: 'robust-baseline', toolVersion: '1', model: { name: 'toy', sha256: 'x' } },
  ...{ fingerprint: { data: 'd', seed: 1 }, ids, clean: every(5, '0', '1') },
  ...{ attacks: [attack(outcomes)] },
  ...more,
});
const compare = (then: Baseline, now: Baseline, more = {}) =>
  compareBaseline(then, now, { file: 'b.json', maxIncrease: 0.03, maxErrorRate: 0.1, minExamples: 1, ...more });

/** A detector's: every second text is an attack; scores rise by `step`. */
const detector = (step: number, rule: object = {}): Pick<Required<Baseline>, 'decision'> => {
  const scores = ids.map((_, at) => Math.round(1e6 * (((at * 7) % 40) / 100 + (at % 2) * step)) / 1e6);
  return {
    decision: {
      rule: { kind: 'threshold', positive: ['attack'], by: 'max', at: 0.3, ...rule },
      labels: ['benign', 'attack'],
      answers: {
        kind: 'threshold',
        truth: every(2, '0', '1'),
        found: scores.map((score) => (score >= 0.3 ? '1' : '0')).join(''),
        scores,
      },
    } as unknown as Required<Baseline>['decision'],
  };
};
const shuffled = (places: readonly number[], of: string): string => places.map((at) => of[at]).join('');

test('examples are those of their ids, in whatever order', () => {
  const places = ids.map((_, at) => (at * 11) % 40);
  const then = baseline(every(3, '1'), detector(0.2));
  const { decision, clean, attacks } = then;
  const { scores, truth, found } = decision!.answers as unknown as { scores: number[]; truth: string; found: string };
  const answers = { ...decision!.answers, scores: places.map((at) => scores[at]!) };
  const other: Baseline = {
    ...then,
    ids: places.map((at) => ids[at]!),
    clean: shuffled(places, clean),
    attacks: [attack(shuffled(places, attacks[0]!.outcomes))],
    decision: {
      ...decision!,
      answers: { ...answers, truth: shuffled(places, truth), found: shuffled(places, found) } as typeof answers,
    },
  };
  const now = baseline(every(2, '1'), detector(0.1));
  const result = compare(then, now);
  expect(result.changes.map(({ metric }) => metric)).toEqual([
    ...['recall', 'falsePositiveRate', 'precision', 'auroc', 'averagePrecision'],
    ...['attackSuccessRate', 'recallUnderAttack', 'falsePositiveRateUnderAttack'],
  ]);
  expect(compare(other, now)).toEqual(result);
});

test('says what it is of: the file, the model of the baseline, the decision and how it differs', () => {
  const calibration = (data: string) => ({
    calibration: { wanted: 0.01, data, falsePositiveRate: { value: 0, low: 0, high: 0.1, n: 20 } },
  });
  const then = baseline(every(3, '1'), { ...detector(0.2, { at: 0.31, ...calibration('c') }) });
  const now = baseline(every(3, '1'), detector(0.2, calibration('c')));
  expect(compare(then, now)).toMatchObject({
    ...{ file: 'b.json', model: { name: 'toy' }, maxIncrease: 0.03, decision: { at: 0.3 } },
    decisionDifference: { kind: 'calibrated' },
  });
  const plain = compare(baseline('1'.repeat(40)), baseline('1'.repeat(40)));
  expect(plain).not.toHaveProperty('decision');
  expect(plain).not.toHaveProperty('decisionDifference');
});

test('resampled figures follow the seed of the run; without one it is 0', () => {
  const of = (seed: unknown) => {
    const more = { fingerprint: { data: 'd', ...(seed !== undefined && { seed }) } } as Partial<Baseline>;
    return compare(
      baseline(every(3, '1'), { ...detector(0.2), ...more }),
      baseline(every(3, '1'), { ...detector(0.1), ...more }),
    );
  };
  expect(of(2)).not.toEqual(of(1));
  expect(of(undefined)).toEqual(of(0));
});

test('as many errors as allowed, of the examples that were attacked, spoil nothing; one more does', () => {
  // 20 were attacked: two may be errors.
  const errors = (count: number) => `${'-'.repeat(count)}${'0'.repeat(20 - count)}${'s'.repeat(20)}`;
  const verdict = (count: number) => compare(baseline(every(40, '0')), baseline(errors(count))).changes[1]!;
  expect(verdict(2)).toMatchObject({ name: 'a', verdict: 'passed' });
  expect(verdict(3)).toMatchObject({ verdict: 'inconclusive', reason: '3 of 20 examples errored' });
});

describe('refused, each difference with both values', () => {
  const now = () => baseline('0'.repeat(40));
  const long = ['a constraint of many words, '.repeat(6)];
  test.each<[string, Partial<Baseline>, Partial<Baseline>?]>([
    ['a fact that only the run has', {}, { fingerprint: { data: 'd', seed: 1, queryBudget: 5 } }],
    ['facts too long to read', { attacks: [attack('0'.repeat(40), long)] }],
    ['a decision that an older version did not note', { toolVersion: '0.9' }, detector(0.2)],
    ['a decision that there was none of', {}, detector(0.2)],
    ['another threshold', detector(0.2), detector(0.2, { at: 0.4 })],
    ['an older version with another threshold', { ...detector(0.2), toolVersion: '0.9' }, detector(0.2, { at: 0.4 })],
  ])('%s', async (_, then, more = {}) => {
    await refusal(() => compare({ ...now(), ...then }, { ...now(), ...more }), 'BASELINE_MISMATCH');
  });

  test('of another model, by the name that was expected', async () => {
    await refusal(() => compare(now(), now(), { model: 'other' }), 'BASELINE_MISMATCH');
  });
});

test('better means better in something and worse in nothing, and judged at all', () => {
  const better = (then: string, now: string, clean?: string) =>
    isBetter(compare(baseline(then), baseline(now, clean === undefined ? {} : { clean }), { maxIncrease: 1 }));
  const [half, third] = [every(2, '1'), every(4, '1')];
  expect([better(half, third), better(third, half), better(half, half)]).toEqual([true, false, false]);
  // The accuracy counts upwards.
  expect(better(half, half, '1'.repeat(40))).toBe(true);
  expect(better(half, third, every(2, '0', '1'))).toBe(false);
  expect(better(half, third, '-'.repeat(40))).toBe(false);
});
