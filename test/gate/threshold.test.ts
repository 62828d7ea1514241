import { describe, expect, test } from 'vitest';
import {
  checkRequirement,
  overrideRequirements,
  REQUIREMENT,
  type Requirement,
  thresholdsOf,
} from '../../src/gate/requirements.js';
import { checkFraction, EXPRESSION, limitsOf, meetsLimits } from '../../src/gate/threshold.js';
import { refusal, thrown } from '../refusal.js';

const defaults = { ci: 'interval', minExamples: 1 } as const;

describe('limits', () => {
  test.each([
    ['<= 0.30', [{ operator: '<=', limit: 0.3 }]],
    ['<.55', [{ operator: '<', limit: 0.55 }]],
    [' >= 90 % ', [{ operator: '>=', limit: 0.9 }]],
    [
      '>= 0.1  and  <= 0.1',
      [
        { operator: '>=', limit: 0.1 },
        { operator: '<=', limit: 0.1 },
      ],
    ],
  ])('%s', (text, limits) => {
    expect(limitsOf(text)).toEqual(limits);
    expect(text).toMatch(new RegExp(EXPRESSION));
  });

  test.each(['', '0.3', '= 0.3', '<= -1', '<= a', '<= 1 or >= 2', '<= 1 and <= 2 and <= 3', '<= 1e3'])(
    '"%s" is none',
    async (text) => {
      await thrown(() => limitsOf(text));
    },
  );

  test.each(['>= 0.5 and <= 0.3', '> 0.3 and <= 0.3', '>= 0.3 and < 0.3', '< 0.3 and > 0.3'])(
    '%s contradicts itself',
    async (text) => {
      await thrown(() => limitsOf(text));
    },
  );
});

test.each([
  ['<=', [true, true, false]],
  ['<', [true, false, false]],
  ['>=', [false, true, true]],
  ['>', [false, false, true]],
] as const)('0.2, 0.3 and 0.4 against %s 0.3', (operator, met) => {
  expect([0.2, 0.3, 0.4].map((figure) => meetsLimits(figure, { operator, limit: 0.3 }))).toEqual(met);
});

test('a limit above 1 on a share was meant in percent', async () => {
  const [threshold] = thresholdsOf(['a.b <= 30'], defaults, () => 'here');
  await refusal(() => checkFraction(threshold!), 'REQUIREMENT_INVALID');
});

test('requirements, without those that are off', () => {
  const written = [
    { limit: 'a.b', level: 'off' },
    { limit: 'c.d <= 1', level: 'off' },
    { limit: 'e.f <= 0.5', level: 'warn', ci: 'value' },
    'deepwordbug:max-edits=3.attackSuccessRate <= 30 %',
  ] as const;
  expect(thresholdsOf(written, defaults, (metric) => `at ${metric}`)).toMatchObject([
    { metric: 'e.f', level: 'warn', ci: 'value', minExamples: 1, origin: 'at e.f' },
    { metric: 'deepwordbug:max-edits=3.attackSuccessRate', level: 'error', limits: [{ operator: '<=', limit: 0.3 }] },
  ]);
});

test('two requirements on one figure must both hold; of different levels each is judged by itself', async () => {
  const of = (...written: Requirement[]) => thresholdsOf(written, defaults, () => '');
  expect(of('a.b<=0.3', 'a.b >= 0.1')).toMatchObject([{ metric: 'a.b', expected: '<=0.3 and >= 0.1' }]);
  expect(of('a.b <= 0.3', { limit: 'a.b <= 0.1', level: 'warn' })).toMatchObject([
    { level: 'error', expected: '<= 0.3' },
    { level: 'warn', expected: '<= 0.1' },
  ]);
  await thrown(() => of('a.b <= 0.3', 'a.b >= 0.5'));
});

test('a requirement replaces all that a lower layer demands of the same figure', () => {
  const below = ['a.b <= 0.5', 'c.d >= 0.1', { limit: 'a.b >= 0.1', level: 'warn' }] as const;
  expect(overrideRequirements(below, ['a.b <= 0.3'])).toEqual(['c.d >= 0.1', 'a.b <= 0.3']);
});

test.each(['a.b', '<= 0.3', '', 'a.b <= many'])('"%s" is no requirement', async (text) => {
  await thrown(() => checkRequirement(text));
  expect(text).not.toMatch(new RegExp(REQUIREMENT));
});
