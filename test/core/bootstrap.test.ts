/** Figures of two models, resampled together. */
import { describe, expect, test } from 'vitest';
import { random } from '../../src/core/random.js';
import { pairedBootstrap, percentileBounds, type Statistic } from '../../src/core/statistics/bootstrap.js';

const N = 100;
/** The mean of some values of the examples. */
const mean =
  (values: readonly number[]): Statistic =>
  (times) =>
    values.reduce((sum, value, at) => sum + value * (times[at] as number), 0) / values.length;
const draw = random(3, 'values');
const values = Array.from({ length: N }, () => draw.unit());
const changes = Array.from({ length: N }, () => draw.unit() - 0.45);
const moved = (by: (at: number) => number): number[] => values.map((each, at) => each + by(at));
const compare = (a: Statistic, b: Statistic, { n = N, differing = N } = {}) =>
  pairedBootstrap(n, [{ a, b, differing }], random(5, 'bootstrap'))[0]!;

describe('the paired bootstrap', () => {
  test('of means has the interval and the p-values of the normal distribution', () => {
    const { difference, lower, higher, a } = compare(mean(values), mean(moved((at) => changes[at]!)));
    const average = changes.reduce((sum, each) => sum + each, 0) / N;
    const spread = Math.sqrt(changes.reduce((sum, each) => sum + (each - average) ** 2, 0)) / N;
    expect(difference.value).toBeCloseTo(average, 12);
    expect(difference.n).toBe(N);
    expect((difference.high! - average) / (1.96 * spread)).toBeCloseTo(1, 0.7);
    expect((average - difference.low!) / (1.96 * spread)).toBeCloseTo(1, 0.7);
    expect(lower! + higher!).toBeCloseTo(1, 2);
    const middle = values.reduce((sum, each) => sum + each, 0) / N;
    expect(a!.low).toBeLessThan(middle);
    expect(a!.high).toBeGreaterThan(middle);
    // A uniform value has the standard deviation sqrt(1 / 12).
    expect((a!.high - a!.low) / (2 * 1.96 * Math.sqrt(1 / 12 / N))).toBeCloseTo(1, 0.7);
  });

  test('of a model that is better by the same amount everywhere is as sure as the number of changed answers allows', () => {
    const better = compare(mean(values), mean(moved(() => 1)), { differing: 10 });
    expect(better.difference.value).toBeCloseTo(1, 12);
    expect(better.difference.low).toBeCloseTo(1, 12);
    expect(better.difference.high).toBeCloseTo(1, 12);
    expect(better).toMatchObject({ lower: 1, higher: 2 ** -10 });
    const worse = compare(mean(values), mean(moved(() => -1)), { differing: 10 });
    expect(worse).toMatchObject({ lower: 2 ** -10, higher: 1 });
  });

  test('of a model with itself finds nothing', () => {
    expect(compare(mean(values), mean(values), { differing: 0 })).toMatchObject({
      difference: { value: 0, low: 0, high: 0, n: N },
      lower: 1,
      higher: 1,
    });
  });

  test('beyond the smallest share of resamples a p-value is that of the normal distribution', () => {
    // 20 standard errors away: no resample is below 0.
    const far = compare(mean(values), mean(moved((at) => changes[at]! + 0.3)));
    expect(far.higher).toBeGreaterThan(0);
    expect(far.higher).toBeLessThan(1e-20);
    expect(far.lower).toBe(1);
  });

  test.each([
    ['no example', 0, mean([])],
    ['a figure that does not exist', N, () => undefined],
  ])('of %s is unknown', (_, n, of) => {
    const nothing = { value: null, low: null, high: null, n: 0 };
    expect(compare(of, of, { n })).toEqual({
      a: undefined,
      b: undefined,
      difference: nothing,
      lower: null,
      higher: null,
    });
    // One of the two does, the other does not.
    if (n > 0) expect(compare(mean(values), of)).toMatchObject({ b: undefined, difference: nothing, lower: null });
  });

  test('resamples at most 2,000 times, and less often where examples are many', () => {
    const calls = (n: number): number => {
      let made = 0;
      const counting: Statistic = (times) => {
        // All examples, some of them repeatedly.
        if (made++ === 0) expect(Array.from(times).reduce((sum, each) => sum + each, 0)).toBe(n);
        return made;
      };
      compare(counting, () => 0, { n });
      return made - 1; // and once as it is
    };
    expect([calls(100), calls(40_000)]).toEqual([2000, 500]);
  });
});

test('a percentile interval is from 2.5 to 97.5 % of the figures that exist', () => {
  const figures = Array.from({ length: 1001 }, (_, at) => (at * 8) % 1001);
  expect(percentileBounds([undefined, ...figures, undefined])).toEqual({ low: 25, high: 975 });
  expect(percentileBounds([3])).toEqual({ low: 3, high: 3 });
  expect(percentileBounds([undefined])).toBeUndefined();
  // Rounded to the nearest.
  expect(percentileBounds([10, 9, 8, 7, 6, 5, 4, 3, 2, 1])).toEqual({ low: 1, high: 10 });
});
