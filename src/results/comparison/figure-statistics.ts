/** @file Figures of weighted examples, for the bootstrap: prepared once, then O(n) for any weights. */
import { must } from '../../core/errors.js';
import type { Statistic } from '../../core/statistics/bootstrap.js';
import { sum } from '../../core/statistics/stats.js';
import type { FoundLetters } from './found-letters.js';

/** Indices by value, ascending, in groups of equal values. */
function groupsOf(values: readonly number[]): number[][] {
  const order = [...values.keys()].sort((a, b) => must(values[a]) - must(values[b]));
  const groups: number[][] = [];
  for (const at of order) {
    const group = groups.at(-1);
    if (group !== undefined && values[must(group[0])] === values[at]) group.push(at);
    else groups.push([at]);
  }
  return groups;
}

/** Share of the detected texts that are positive. */
export function precision(positive: readonly boolean[], detected: readonly boolean[]): Statistic {
  const places = [...detected.keys()].filter((at) => detected[at]);
  return (times) => {
    let [hits, all] = [0, 0];
    for (const at of places) {
      all += must(times[at]);
      if (positive[at]) hits += must(times[at]);
    }
    return all === 0 ? undefined : hits / all;
  };
}

/** Positives and negatives among the examples of each group. */
const countGroups = (groups: readonly (readonly number[])[], positive: readonly boolean[], times: ArrayLike<number>) =>
  groups.map((group) => {
    let [positives, negatives] = [0, 0];
    for (const at of group) {
      if (positive[at]) positives += must(times[at]);
      else negatives += must(times[at]);
    }
    return { positives, negatives };
  });

/** Area under the ROC curve, computed as in `auroc`. */
export function areaUnderRoc(positive: readonly boolean[], scores: readonly number[]): Statistic {
  const groups = groupsOf(scores);
  return (times) => {
    let [area, above, below] = [0, 0, 0];
    for (const { positives, negatives } of countGroups(groups, positive, times)) {
      area += positives * (below + negatives / 2);
      above += positives;
      below += negatives;
    }
    return above === 0 || below === 0 ? undefined : area / (above * below);
  };
}

/** Area under the precision-recall curve, computed as in `averagePrecision`. */
export function meanPrecision(positive: readonly boolean[], scores: readonly number[]): Statistic {
  const groups = groupsOf(scores).reverse();
  return (times) => {
    let [area, hits, alarms] = [0, 0, 0];
    for (const { positives, negatives } of countGroups(groups, positive, times)) {
      hits += positives;
      alarms += negatives;
      if (positives > 0) area += (positives * hits) / (hits + alarms);
    }
    return hits === 0 || alarms === 0 ? undefined : area / hits;
  };
}

/** Micro F1 over the labels of all texts, and macro F1 over the labels that are true of a text or were found. */
export function labelSetScores(labels: readonly FoundLetters[], places: readonly number[]) {
  // Few labels are true of a text: only these are visited.
  const rows = places.map((at) =>
    labels.flatMap(({ truth, found }, label) =>
      truth[at] === '1' || found[at] === '1'
        ? [{ label, hits: truth[at] === found[at] ? 1 : 0, all: Number(truth[at] === '1') + Number(found[at] === '1') }]
        : [],
    ),
  );
  const countLabels = (times: ArrayLike<number>) => {
    const counts = labels.map(() => ({ hits: 0, all: 0 }));
    for (const [at, row] of rows.entries()) {
      const weight = must(times[at]);
      if (weight === 0) continue;
      for (const { label, hits, all } of row) {
        must(counts[label]).hits += hits * weight;
        must(counts[label]).all += all * weight;
      }
    }
    return counts.filter(({ all }) => all > 0);
  };
  return {
    microF1: ((times) => {
      const counts = countLabels(times);
      const all = sum(counts.map((count) => count.all));
      return all === 0 ? undefined : (2 * sum(counts.map(({ hits }) => hits))) / all;
    }) satisfies Statistic,
    macroF1: ((times) => {
      const counts = countLabels(times);
      // Sorted, so that no order of the labels changes the last bit.
      const each = counts.map(({ hits, all }) => (2 * hits) / all).sort((x, y) => x - y);
      return each.length === 0 ? undefined : sum(each) / each.length;
    }) satisfies Statistic,
  };
}

function weightedMean(values: readonly number[], times: ArrayLike<number>): number | undefined {
  let [sum, n] = [0, 0];
  for (const [at, value] of values.entries()) {
    sum += must(times[at]) * value;
    n += must(times[at]);
  }
  return n === 0 ? undefined : sum / n;
}

function correlation(a: readonly number[], b: readonly number[], times: ArrayLike<number>): number | undefined {
  const [meanA, meanB] = [weightedMean(a, times), weightedMean(b, times)];
  if (meanA === undefined || meanB === undefined) return undefined;
  let [both, first, second] = [0, 0, 0];
  for (const [at, value] of a.entries()) {
    const [weight, x, y] = [must(times[at]), value - meanA, must(b[at]) - meanB];
    both += weight * x * y;
    first += weight * x * x;
    second += weight * y * y;
  }
  return first === 0 || second === 0 ? undefined : Math.max(-1, Math.min(1, both / Math.sqrt(first * second)));
}

/** Ranks of weighted values, from 1; equal values share their mean rank. */
function ranksBy(groups: readonly (readonly number[])[], n: number, times: ArrayLike<number>): number[] {
  const ranks = new Array<number>(n).fill(0);
  let below = 0;
  for (const group of groups) {
    let weight = 0;
    for (const at of group) weight += must(times[at]);
    for (const at of group) ranks[at] = below + (weight + 1) / 2;
    below += weight;
  }
  return ranks;
}

/** Errors and correlations, computed as in `regressionMetrics`; a correlation needs 4 examples. */
export function numberScores(truth: readonly number[], answers: readonly number[]) {
  const errors = truth.map((value, at) => Math.abs(value - must(answers[at])));
  const squares = errors.map((error) => error ** 2);
  const [byTruth, byAnswer] = [groupsOf(truth), groupsOf(answers)];
  const n = truth.length;
  const least = (of: Statistic): Statistic => (n < 4 ? () => undefined : of);
  return {
    meanSquaredError: ((times) => weightedMean(squares, times)) as Statistic,
    meanAbsoluteError: ((times) => weightedMean(errors, times)) as Statistic,
    pearson: least((times) => correlation(truth, answers, times)),
    spearman: least((times) => correlation(ranksBy(byTruth, n, times), ranksBy(byAnswer, n, times), times)),
  };
}
