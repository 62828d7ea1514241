/** The filter on a toy language: what was planted is found, clean texts are spared, and the truth stays unseen. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FilterPlan, filterTexts } from '../../src/backdoor/filter/filter.js';
import { hypergeometricTail } from '../../src/backdoor/filter/groups.js';
import { judge } from '../../src/backdoor/filter/judgement.js';
import type { TextJudge } from '../../src/backdoor/filter/method.js';
import { quantileThreshold, robustThreshold, upperQuantile } from '../../src/backdoor/filter/threshold.js';
import { auroc } from '../../src/core/statistics/auroc.js';
import { upperTail } from '../../src/core/statistics/stats.js';
import { english } from '../../src/language/english/index.js';
import { refusal } from '../refusal.js';
import { LABELS, opinions, type Told } from './toys.js';

const clean = opinions(600, 0, 7);
const plan = (suspects: readonly Told[]): FilterPlan => ({
  suspects,
  clean,
  labels: LABELS,
  language: english,
  frr: 0.05,
  seed: 42,
});

describe('the filter', () => {
  const poisoned = opinions(800, 0.05);

  test('finds the planted trigger at the stated false rejection rate', () => {
    const found = filterTexts(plan(poisoned));
    const { frr, far, auroc } = judge(
      found,
      poisoned,
      poisoned.map((each) => each.poisoned),
    );
    expect(far.value).toBeLessThan(0.1);
    expect(frr.low).toBeLessThan(0.05);
    expect(auroc?.value).toBeGreaterThan(0.95);
    expect(found.suspects[0]?.reason.length).toBeGreaterThan(10);
  });

  test('spares a clean set', () => {
    const found = filterTexts(plan(opinions(800, 0, 3)));
    expect(found.suspects.length / 800).toBeLessThan(0.1);
  });

  test('same seed, same suspects; nothing depends on the truth', () => {
    const lies = poisoned.map((each, at) => ({ ...each, poisoned: at % 2 === 0 }));
    expect(filterTexts(plan(lies))).toEqual(filterTexts(plan(poisoned)));
  });

  test('refuses what it cannot work on', async () => {
    await refusal(() => filterTexts({ ...plan(poisoned), suspects: [] }));
    await refusal(() => filterTexts({ ...plan(poisoned), frr: 1 }));
    const one = poisoned.filter(({ label }) => label === 1);
    await refusal(() => filterTexts(plan(one)));
  });
});

test('without clean texts the bulk of the suspects sets the threshold', () => {
  const poisoned = opinions(800, 0.05);
  const found = filterTexts({ ...plan(poisoned), clean: [] });
  expect(found.calibratedOn).toBe(0);
  const { far } = judge(
    found,
    poisoned,
    poisoned.map((each) => each.poisoned),
  );
  expect(far.value).toBe(0);
});

describe('thresholds', () => {
  test('leave at most the stated share of the clean scores above', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: 1, maxLength: 300 }),
        fc.double({ min: 0.001, max: 0.5, noNaN: true }),
        (scores, frr) => {
          const threshold = quantileThreshold(Float64Array.from(scores), frr);
          const above = scores.filter((score) => score > threshold).length;
          return above <= frr * (scores.length + 1);
        },
      ),
    );
  });

  test('the bulk of normal scores gives the normal quantile, whatever is far above', () => {
    const normal = Float64Array.from({ length: 999 }, (_, at) => upperQuantile(1 - (at + 1) / 1000));
    const poisoned = Float64Array.from([...normal, ...new Array(50).fill(100)]);
    expect(robustThreshold(normal, 0.01)).toBeCloseTo(2.326, 1);
    expect(robustThreshold(poisoned, 0.01)).toBeCloseTo(2.45, 0);
  });

  test('normal tails and quantiles agree with tables', () => {
    for (const [z, p] of [
      [0, 0.5],
      [1, 0.158655],
      [1.959964, 0.025],
      [3, 1.349898e-3],
      [5, 2.866516e-7],
      [8, 6.220961e-16],
    ] as const) {
      expect(upperTail(z) / p).toBeCloseTo(1, 2);
      if (p > 1e-6) expect(upperQuantile(p)).toBeCloseTo(z, 2);
    }
  });
});

test.each([
  [2, 10, 4, 3, 1 / 3],
  [3, 10, 4, 3, 1 / 30],
  [0, 10, 4, 3, 1],
])('hypergeometric tail: at least %i of %i, %i, %i', (k, all, special, drawn, p) => {
  expect(hypergeometricTail(k, all, special, drawn)).toBeCloseTo(p, 10);
});

describe('area under the curve', () => {
  test('is the share of pairs in order, ties counting half', () => {
    const scores = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(scores, scores, (good, bad) => {
        const pairs = bad.flatMap((b) => good.map((g) => Number(b > g) + Number(b === g) / 2));
        const { value, low, high } = auroc(Float64Array.from(bad), Float64Array.from(good))!;
        expect(value).toBeCloseTo(pairs.reduce((a, b) => a + b, 0) / pairs.length, 10);
        expect(0 <= low && low <= value && value <= high && high <= 1).toBe(true);
      }),
    );
  });

  test('is unknown without both kinds', () => {
    expect(auroc(new Float64Array(), Float64Array.of(1))).toBeNull();
  });
});

describe('the verdict', () => {
  /** Scores a text by the number it holds. */
  const numbers: TextJudge = ({ suspects, reference }) =>
    [...suspects, ...reference].map(({ text }) => ({
      score: text === 'none' ? Number.NaN : Number.parseFloat(text),
      reason: '',
    }));
  /** Numbers in words too: texts that differ only in a number are copies. */
  const spelt = (value: number | string): string =>
    value === 'none'
      ? value
      : `${value} ${String(value).replace(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit)))}`;
  const rows = (values: readonly (number | string)[], from = 0) =>
    values.map((value, at) => ({ id: `${from + at}`, text: spelt(value), label: at % 2 }));
  const upTo = (n: number, factor = 1): number[] => Array.from({ length: n }, (_, at) => factor * (at + 1));
  const of = (suspects: readonly (number | string)[], clean: readonly number[], frr = 0.1) =>
    filterTexts(
      {
        suspects: rows(suspects),
        clean: rows(clean, 1000),
        labels: LABELS,
        language: english,
        frr,
        seed: 1,
      },
      numbers,
    );

  test('none found, where clean texts enough have set the threshold', () => {
    expect(of(upTo(40), upTo(40, 2.5))).toMatchObject({ verdict: 'none found', reasons: [], suspects: [] });
  });

  test.each([
    ['no clean texts', upTo(40, 0.1), [], /no clean texts set the threshold/],
    [
      'too few clean texts for the rate',
      upTo(40),
      upTo(8, 99.5),
      /8 different clean texts set the threshold, .* takes 9/,
    ],
    ['too few texts', upTo(29), upTo(40, 2.5), /29 texts are too few to learn from/],
    ['equal scores', Array(40).fill(1), Array(40).fill(1), /all texts got the same score/],
    ['no scores', Array(40).fill('none'), upTo(40, 2.5), /40 of 40 texts got no score/],
    ['a text without a score', [...upTo(40), 'none'], upTo(40, 2.5), /1 of 41 texts got no score/],
    [
      'the suspects as clean texts',
      upTo(10).flatMap((n) => [n, n, n]),
      upTo(10),
      /10 of the 10 clean texts are among the suspect/,
    ],
  ])('inconclusive: %s', (_, suspects, clean, reason) => {
    const found = of(suspects, clean);
    expect(found.suspects).toEqual([]);
    expect(found.verdict).toBe('inconclusive');
    expect(found.reasons.join()).toMatch(reason);
  });

  test('suspects without clean texts are listed, and are no verdict', () => {
    const found = of([...upTo(40), 1e6], []);
    expect(found.suspects).toHaveLength(1);
    expect(found.verdict).toBe('inconclusive');
    expect(found.reasons.join()).toMatch(/no clean texts/);
  });

  test('without clean texts at most 100 suspects are listed', () => {
    const found = of([...upTo(800, 0.001), ...upTo(150, 1e6)], []);
    expect(found.suspects).toHaveLength(100);
    expect(found.suspects[0]?.score).toBe(150e6);
  });

  test('suspects no more than clean texts give are listed, and are no verdict', () => {
    const few = of([...upTo(39), 1e6], upTo(40));
    expect(few.suspects.length).toBeGreaterThan(0);
    expect(few).toMatchObject({ verdict: 'inconclusive' });
    expect(few.reasons.join()).toMatch(/no more than clean texts give/);
    const many = of([...upTo(20), ...upTo(20, 1e6)], upTo(40));
    expect(many).toMatchObject({ verdict: 'inconclusive', groups: [] });
    expect(many.reasons.join()).toMatch(/more than clean texts give .* no group of them is evidence/);
  });
});
