/** @file Metrics of a regression victim without attack. */
import type { NumberDecision, Truth } from '../../core/decision.js';
import { defined } from '../../core/defined.js';
import { must } from '../../core/errors.js';
import type { CountedEstimate } from '../../core/statistics/rate.js';
import { sum, wilson, Z95 } from '../../core/statistics/stats.js';
import type { CleanMetrics, RegressionMetrics } from './clean-metrics.js';
import { degeneracy } from './degenerate.js';

/** Answers closer than this are equal: the precision of results.jsonl. */
const TOLERANCE = 1e-6;
/** Fewer answers may agree by chance. */
const MIN_ANSWERS = 10;

/**
 * A mean with its 95 % interval by the normal approximation; for a single number, the bounds equal the value. Independent of the order, to
 * the bit.
 */
export function meanOf(values: readonly number[]): CountedEstimate | undefined {
  const n = values.length;
  if (n === 0) return undefined;
  const ascending = [...values].sort((a, b) => a - b);
  const value = sum(ascending) / n;
  const squares = ascending.map((each) => (each - value) ** 2).sort((a, b) => a - b);
  const spread = n < 2 ? 0 : Z95 * Math.sqrt(sum(squares) / (n - 1) / n);
  return { value, low: value - spread, high: value + spread, n };
}

/** Pearson's r of two lists of equal length; undefined if either is constant. */
function pearson(a: readonly number[], b: readonly number[]): number | undefined {
  const [meanA, meanB] = [sum(a) / a.length, sum(b) / b.length];
  const of = (f: (x: number, y: number) => number): number => sum(a.map((x, at) => f(x - meanA, must(b[at]) - meanB)));
  const [both, first, second] = [of((x, y) => x * y), of((x) => x * x), of((_, y) => y * y)];
  return first === 0 || second === 0 ? undefined : Math.max(-1, Math.min(1, both / Math.sqrt(first * second)));
}

/** Ranks from 1; equal values share their mean rank. */
function ranks(values: readonly number[]): number[] {
  const order = [...values.keys()].sort((a, b) => must(values[a]) - must(values[b]));
  const found = new Array<number>(values.length);
  for (let from = 0; from < order.length; ) {
    let to = from;
    while (to + 1 < order.length && values[must(order[to + 1])] === values[must(order[from])]) to++;
    for (let at = from; at <= to; at++) found[must(order[at])] = (from + to) / 2 + 1;
    from = to + 1;
  }
  return found;
}

/** Fisher's z: atanh r is about normal, with `variance` 1 / (n - 3) for Pearson's r. Undefined below 4 pairs. */
function correlation(r: number | undefined, n: number, variance: number): CountedEstimate | undefined {
  if (r === undefined || n < 4) return undefined;
  const [z, spread] = [Math.atanh(r), Z95 * Math.sqrt(variance)];
  return Math.abs(r) === 1
    ? { value: r, low: r, high: r, n }
    : { value: r, low: Math.tanh(z - spread), high: Math.tanh(z + spread), n };
}

/**
 * Mean squared error, mean absolute error, Pearson's r and Spearman's r, all with 95 % intervals. The variance of Spearman's r after
 * Fisher's transformation is that of Bonett and Wright (2000), (1 + r^2 / 2) / (n - 3).
 */
export function regressionMetrics(truth: readonly number[], answers: readonly number[]): RegressionMetrics {
  const n = truth.length;
  const errors = truth.map((value, at) => Math.abs(value - must(answers[at])));
  const atLeast0 = (mean: CountedEstimate) => ({ ...mean, low: Math.max(0, mean.low) });
  const [squared, absolute] = [meanOf(errors.map((error) => error ** 2)), meanOf(errors)];
  const linear = correlation(pearson(truth, answers), n, 1 / (n - 3));
  const rank = pearson(ranks(truth), ranks(answers));
  const monotone = correlation(rank, n, (1 + (rank ?? 0) ** 2 / 2) / (n - 3));
  return {
    ...(squared && { meanSquaredError: atLeast0(squared) }),
    ...(absolute && { meanAbsoluteError: atLeast0(absolute) }),
    ...defined({ pearson: linear, spearman: monotone }),
  };
}

/** Folds the answers to unedited texts, 16 bytes per text. `accuracy` is the share of the answers within delta of the true value. */
export function regressionFold(decision: NumberDecision) {
  const truth: number[] = [];
  const answers: number[] = [];
  let right = 0;
  return {
    /** Throws RangeError if the text has no true value, or the answer is not a number. */
    add(example: Truth, row: ArrayLike<number>): void {
      const [wanted, answer] = [example.value ?? Number.NaN, decision.value(row)];
      if (!Number.isFinite(wanted) || !Number.isFinite(answer))
        throw new RangeError(`expected two numbers, got a true value of ${wanted} and an answer of ${answer}`);
      truth.push(wanted);
      answers.push(answer);
      if (decision.right(row, example)) right += 1;
    },

    metrics(): CleanMetrics {
      const n = truth.length;
      const [least, most] = answers.reduce<[number, number]>(
        ([low, high], answer) => [Math.min(low, answer), Math.max(high, answer)],
        [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
      );
      const none = { accuracy: wilson(right, n), perClass: [], confusion: [] };
      const degenerate = degeneracy(none, n >= MIN_ANSWERS && most - least < TOLERANCE);
      return { ...none, ...(degenerate.length > 0 && { degenerate }), regression: regressionMetrics(truth, answers) };
    },
  };
}
