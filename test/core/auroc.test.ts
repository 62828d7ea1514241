/** Area under the ROC curve and its interval, against DeLong's components counted pair by pair. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { auroc } from '../../src/core/statistics/auroc.js';

const scores = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 40 });
const mean = (values: readonly number[]): number => values.reduce((sum, each) => sum + each, 0) / values.length;
/** With n - 1; of one value nothing is known. */
const variance = (values: readonly number[]): number =>
  values.length === 1
    ? 0
    : (mean(values.map((each) => (each - mean(values)) ** 2)) * values.length) / (values.length - 1);
const wins = (positive: number, negative: number): number => (Math.sign(positive - negative) + 1) / 2;

/** DeLong, DeLong and Clarke-Pearson 1988, equations 5 to 7, then the delta method on the logit scale. */
function byPairs(positives: readonly number[], negatives: readonly number[]) {
  const n = positives.length + negatives.length;
  const ofPositives = positives.map((positive) => mean(negatives.map((negative) => wins(positive, negative))));
  const ofNegatives = negatives.map((negative) => mean(positives.map((positive) => wins(positive, negative))));
  const value = mean(ofPositives);
  const delong = variance(ofPositives) / positives.length + variance(ofNegatives) / negatives.length;
  // Half a text away from the ends, and no narrower than a proportion of as many texts.
  const inside = Math.min(1 - 1 / (2 * n), Math.max(1 / (2 * n), value));
  const slope = 1 / (inside * (1 - inside));
  const reach = 1.959963984540054 * slope * Math.sqrt(Math.max(delong, 1 / slope / n));
  const [low, high] = [-reach, reach].map((by) => 1 / (1 + Math.exp(-(Math.log(inside / (1 - inside)) + by))));
  return { value, low: Math.min(value, low as number), high: Math.max(value, high as number) };
}

test('value and interval are those of pairs', () => {
  fc.assert(
    fc.property(scores, scores, (positives, negatives) => {
      const found = auroc(Float64Array.from(positives), Float64Array.from(negatives));
      const expected = byPairs(positives, negatives);
      for (const name of ['value', 'low', 'high'] as const) expect(found?.[name]).toBeCloseTo(expected[name], 10);
    }),
  );
});

test.each([
  // Of 6 pairs 4 are in order and one is a tie.
  [[3, 1], [0, 1, 2], 4.5 / 6],
  [[2, 3], [0, 1], 1],
  [[0], [1], 0],
])('%j above %j: %d', (positives, negatives, value) => {
  expect(auroc(Float64Array.from(positives), Float64Array.from(negatives))?.value).toBeCloseTo(value, 12);
});

test('is unknown where either kind is missing', () => {
  const [none, one] = [new Float64Array(), Float64Array.of(1)];
  expect([auroc(none, one), auroc(one, none), auroc(none, none)]).toEqual([null, null, null]);
});
