import { describe, expect, test } from 'vitest';
import { EXPRESSION, limitsOf } from '../../src/gate/threshold.js';
import { thresholdsOf, withFlags } from '../../src/gate/thresholds.js';

const defaults = { ci: 'value', minExamples: 1 } as const;

describe('limits', () => {
  test.each([
    ['<= 0.30', [{ operator: '<=', limit: 0.3 }]],
    ['<.5', [{ operator: '<', limit: 0.5 }]],
    [' >= 90 % ', [{ operator: '>=', limit: 0.9 }]],
    [
      '>= 0.1 and <= 0.1',
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
    (text) => {
      expect(() => limitsOf(text)).toThrow(/expected (a limit|one limit)/);
    },
  );

  test.each(['>= 0.5 and <= 0.3', '> 0.3 and <= 0.3', '< 0.3 and > 0.3'])('%s contradicts itself', (text) => {
    expect(() => limitsOf(text)).toThrow(/contradictory/);
  });
});

test('a configuration, without what is off', () => {
  const written = { 'a.b': 'off', 'c.d': ['off', '<= 1'], 'e.f': ['warn', '<= 0.5', { ci: 'upper' }] } as const;
  expect(thresholdsOf(written, defaults, (metric) => `at ${metric}`)).toMatchObject([
    { metric: 'e.f', level: 'warn', ci: 'upper', minExamples: 1, origin: 'at e.f' },
  ]);
});

describe('flags', () => {
  const configured = thresholdsOf({ 'a.b': ['warn', '<= 0.5'] }, defaults, () => 'file');

  test('replace what the configuration says, and must all hold', () => {
    const [only, ...more] = withFlags(configured, ['a.b<=0.3', 'a.b >= 0.1'], defaults);
    expect(only).toMatchObject({ metric: 'a.b', level: 'error', expected: '<=0.3 and >= 0.1' });
    expect(more).toEqual([]);
  });

  test('an attack with options is a metric too', () => {
    expect(withFlags([], ['deepwordbug:max-edits=3.attackSuccessRate <= 0.3'], defaults)[0]).toMatchObject({
      metric: 'deepwordbug:max-edits=3.attackSuccessRate',
    });
  });

  test.each([
    [['a.b'], /expected a metric and a limit/],
    [['<= 0.3'], /expected a metric and a limit/],
    [['a.b <= 0.3', 'a.b >= 0.5'], /contradictory/],
  ])('%j', (flags, told) => expect(() => withFlags(configured, flags, defaults)).toThrow(told));
});
