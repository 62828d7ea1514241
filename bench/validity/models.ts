/** @file Small classifiers on standardised features. Each takes weighted training rows and returns a scorer. */
import { sigmoid } from '../../src/core/softmax.js';
import { solver } from '../../src/explain/linear.js';

export interface TrainingRow {
  readonly x: readonly number[];
  readonly kept: boolean;
  readonly weight: number;
}

type Scorer = (x: readonly number[]) => number;
export type Train = (rows: readonly TrainingRow[]) => Scorer;

/** Standard deviations from the mean beyond which a feature counts no more. */
const CLIP = 5;
const NEWTON_STEPS = 25;

/** Weighted mean 0 and standard deviation 1 on the training rows. */
function standardise(rows: readonly TrainingRow[]): (x: readonly number[]) => number[] {
  const total = rows.reduce((sum, { weight }) => sum + weight, 0);
  const width = rows[0]!.x.length;
  const moments = Array.from({ length: width }, (_, j) => {
    const average = rows.reduce((sum, { x, weight }) => sum + weight * x[j]!, 0) / total;
    const variance = rows.reduce((sum, { x, weight }) => sum + weight * (x[j]! - average) ** 2, 0) / total;
    return [average, Math.sqrt(variance) + 1e-9] as const;
  });
  return (x) =>
    moments.map(([average, deviation], j) => Math.max(-CLIP, Math.min(CLIP, (x[j]! - average) / deviation)));
}

/** Coefficients of a logistic regression by Newton's method; the ridge spares the intercept, which comes first. */
function coefficients(rows: readonly TrainingRow[], ridge: number): Float64Array {
  const n = rows[0]!.x.length + 1;
  let beta = new Float64Array(n);
  for (let step = 0; step < NEWTON_STEPS; step++) {
    const gradient = beta.map((value, j) => (j === 0 ? 0 : -ridge * value));
    const hessian = new Float64Array(n * n);
    for (let j = 0; j < n; j++) hessian[j * n + j] = j === 0 ? 1e-6 : ridge;
    for (const { x, kept, weight } of rows) {
      const row = [1, ...x];
      const p = sigmoid(row.reduce((sum, value, j) => sum + value * beta[j]!, 0));
      for (let j = 0; j < n; j++) {
        gradient[j]! += weight * (Number(kept) - p) * row[j]!;
        for (let k = 0; k < n; k++) hessian[j * n + k]! += weight * p * (1 - p) * row[j]! * row[k]!;
      }
    }
    const change = solver(hessian, n)(gradient);
    beta = beta.map((value, j) => value + change[j]!);
    if (Math.max(...change.map(Math.abs)) < 1e-6) break;
  }
  return beta;
}

/** Logistic regression on functions of the standardised features. */
const logisticOn =
  (expand: (x: readonly number[]) => readonly number[], ridge: number): Train =>
  (rows) => {
    const scale = standardise(rows);
    const inputs = (x: readonly number[]): readonly number[] => expand(scale(x));
    const beta = coefficients(
      rows.map((row) => ({ ...row, x: inputs(row.x) })),
      ridge,
    );
    return (x) => inputs(x).reduce((sum, value, j) => sum + value * beta[j + 1]!, beta[0]!);
  };

export const logistic: Train = logisticOn((x) => x, 30);

/** With the products of the features at the given places. */
export const withInteractions = (places: readonly number[]): Train =>
  logisticOn((x) => [...x, ...places.flatMap((i, at) => places.slice(at + 1).map((j) => x[i]! * x[j]!))], 100);

const [ROUNDS, RATE, CUTS, LEAF_RIDGE] = [200, 0.1, 24, 5] as const;

interface Stump {
  readonly j: number;
  readonly cut: number;
  readonly low: number;
  readonly high: number;
}

/** The stump with the largest gain of a Newton step (Friedman 2001; XGBoost's gain, Chen and Guestrin 2016, equation 7). */
function bestStump(cuts: readonly number[][], bins: readonly Uint8Array[], g: Float64Array, h: Float64Array): Stump {
  const [allG, allH] = [g, h].map((values) => values.reduce((sum, value) => sum + value, 0)) as [number, number];
  const gain = (gradient: number, curve: number): number => gradient ** 2 / (curve + LEAF_RIDGE);
  let best: { gain: number; stump: Stump } = { gain: -1, stump: { j: 0, cut: 0, low: 0, high: 0 } };
  for (const [j, places] of bins.entries()) {
    const [sumG, sumH] = [new Float64Array(CUTS + 1), new Float64Array(CUTS + 1)];
    places.forEach((bin, row) => {
      sumG[bin]! += g[row]!;
      sumH[bin]! += h[row]!;
    });
    let [lowG, lowH] = [0, 0];
    for (const [k, cut] of cuts[j]!.entries()) {
      lowG += sumG[k]!;
      lowH += sumH[k]!;
      const [highG, highH] = [allG - lowG, allH - lowH];
      const gained = gain(lowG, lowH) + gain(highG, highH);
      if (gained > best.gain)
        best = { gain: gained, stump: { j, cut, low: lowG / (lowH + LEAF_RIDGE), high: highG / (highH + LEAF_RIDGE) } };
    }
  }
  return best.stump;
}

/** Gradient boosting of 200 stumps on the logistic loss, cuts at quantiles. An additive model. */
export const boostedStumps: Train = (rows) => {
  const width = rows[0]!.x.length;
  const cuts = Array.from({ length: width }, (_, j) => {
    const sorted = rows.map(({ x }) => x[j]!).sort((a, b) => a - b);
    return [
      ...new Set(Array.from({ length: CUTS }, (_, k) => sorted[Math.floor(((k + 1) * sorted.length) / (CUTS + 1))]!)),
    ];
  });
  const bins = cuts.map((each, j) => Uint8Array.from(rows, ({ x }) => each.filter((cut) => x[j]! > cut).length));
  const scores = new Float64Array(rows.length);
  const stumps: Stump[] = [];
  const side = ({ j, cut, low, high }: Stump, x: readonly number[]): number => RATE * (x[j]! > cut ? high : low);
  for (let round = 0; round < ROUNDS; round++) {
    const p = scores.map(sigmoid);
    const stump = bestStump(
      cuts,
      bins,
      p.map((value, at) => rows[at]!.weight * (Number(rows[at]!.kept) - value)),
      p.map((value, at) => rows[at]!.weight * value * (1 - value)),
    );
    stumps.push(stump);
    rows.forEach(({ x }, at) => {
      scores[at]! += side(stump, x);
    });
  }
  return (x) => stumps.reduce((sum, stump) => sum + side(stump, x), 0);
};
