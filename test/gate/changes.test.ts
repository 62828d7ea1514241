/** When a change of a figure fails a gate, at the very limits, and why one is not judged. */
import { expect, test } from 'vitest';
import { wilson } from '../../src/core/statistics/stats.js';
import { judgeChanges, type PairedChange } from '../../src/gate/changes.js';
import type { PairedFigure } from '../../src/results/comparison/paired-figures.js';

type Given = Partial<PairedFigure> & { was?: number | null; is?: number | null; n?: number; spoilt?: string };

/** A figure that rose by a half on 100 examples: significantly worse. */
const change = ({ was = 0.25, is = 0.75, n = 100, spoilt, ...rest }: Given = {}): PairedChange => {
  const [a, b] = [was, is].map((value) => ({ ...wilson(1, 4), value, n })) as [PairedFigure['a'], PairedFigure['b']];
  const value = was === null || is === null ? null : is - was;
  const difference = { value, low: null, high: null, n };
  const figure = { metric: 'attackSuccessRate', higherIsBetter: false, a, b, difference, p: 0.002, pWorse: 0.001 };
  return { name: 'a', figure: { ...figure, ...rest }, spoilt };
};
const judged = (given: Given, most = 0.03) => judgeChanges([change(given)], most, 30)[0]!;
const counts = (onlyA: number, onlyB: number) => ({ both: 0, onlyA, onlyB, neither: 0 });

test.each<[string, Given, number, string]>([
  ['a p-value of 5 %', { pWorse: 0.05 }, 0.03, 'failed'],
  ['a p-value above 5 %', { pWorse: 0.0501 }, 0.03, 'passed'],
  ['the increase that is allowed', {}, 0.5, 'passed'],
  ['a greater increase', {}, 0.49, 'failed'],
  ['a fall of what should be low', { was: 0.75, is: 0.25 }, 0.03, 'passed'],
  ['a fall of what should be high', { was: 0.75, is: 0.25, higherIsBetter: true }, 0.03, 'failed'],
  ['a rise of what should be high', { higherIsBetter: true }, 0.03, 'passed'],
  // Relative to the baseline: 0.5 of 2.
  ['an error that rises by what is allowed', { metric: 'meanAbsoluteError', was: 2, is: 2.5 }, 0.25, 'passed'],
  ['an error that rises by more', { metric: 'meanAbsoluteError', was: 2, is: 2.5 }, 0.24, 'failed'],
  ['an error where there was none', { metric: 'meanAbsoluteError', was: 0, is: 0.01 }, 0.25, 'failed'],
])('%s', (_, given, most, verdict) => {
  expect(judged(given, most)).toMatchObject({ verdict });
});

test('a figure of one label on few examples is a warning; of any other it is none', () => {
  const level = (given: Given) => judged(given).level;
  expect([level({ label: 'x', n: 29 }), level({ label: 'x', n: 30 }), level({ n: 29 })]).toEqual([
    'warn',
    undefined,
    undefined,
  ]);
});

test('examples that became worse, and better, by the direction of the figure; without counts neither', () => {
  expect(judged({ counts: counts(3, 5) })).toMatchObject({ worse: 5, better: 3 });
  expect(judged({ counts: counts(3, 5), higherIsBetter: true })).toMatchObject({ worse: 3, better: 5 });
  expect(judged({})).not.toHaveProperty('worse');
});

test('what is not judged is inconclusive, and says why', () => {
  const reasons = Object.entries({
    'no example in both': { n: 0, counts: counts(0, 0) },
    'no example in both, and spoilt': { n: 0, counts: counts(0, 0), spoilt: 'errors' },
    spoilt: { spoilt: 'errors' },
    'of the baseline it is undefined': { was: null, n: 0 },
    'of the run it is undefined': { is: null },
    'of both it is undefined': { was: null, is: null },
    'there is no p-value': { pWorse: null },
    'examples, but no rate': { was: null, counts: counts(1, 0) },
    'there is one example too few': { n: 29, counts: counts(5, 5) },
  } satisfies Record<string, Given>).map(([name, given]) => {
    const { verdict, p, reason } = judged(given);
    expect([name, verdict]).toEqual([name, 'inconclusive']);
    return `${name} (p = ${p}): ${reason}`;
  });
  expect(reasons).toMatchSnapshot();
  expect(judged({ n: 30 })).not.toHaveProperty('reason');
});
