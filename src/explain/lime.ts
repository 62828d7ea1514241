/**
 * @file LIME for text (Ribeiro, Singh and Guestrin, "Why Should I Trust You?", 2016, https://arxiv.org/abs/1602.04938): a weighted linear
 * model of the classifier's answers to the text with random words removed. Parameters and defaults are those of the authors' package lime
 * 0.2 (lime_text.py, lime_base.py). Differences: each occurrence of a word is a separate feature (their `bow=False`), because these models
 * read order; punctuation is not a feature; and the weight of a single word is not shrunk, because their ridge would more than halve it.
 */
import { must } from '../core/errors.js';
import type { Random } from '../core/random.js';
import { type Coalition, type CoalitionGame, fullCoalition } from './game.js';
import { sandwich, solver } from './linear.js';
import { interval, type WeightedWords } from './weighted.js';

export interface LimeOptions {
  /** Number of texts, including the whole one. @default 5000 */
  readonly samples: number;
  /** Width of the kernel sqrt(exp(-d^2 / width^2)), d = 100 (1 - cosine). @default 25 */
  readonly kernelWidth: number;
  /** Number of words with a weight; the others get 0. @default 10 */
  readonly features: number;
}

export const LIME: LimeOptions = { samples: 5000, kernelWidth: 25, features: 10 };

/** Ridge penalty of the final model, and of the model that selects features by weight (lime_base.py). */
const RIDGE = 1;
const SELECTION_RIDGE = 0.01;
/** Up to this number, features are selected one by one, beyond it by weight (`feature_selection='auto'`). */
const MAX_FORWARD_FEATURES = 6;

/** The whole text, then texts with 1 to all words removed, each number equally likely. */
function neighbourhood(size: number, samples: number, random: Random): Coalition[] {
  const coalitions = [fullCoalition(size)];
  const order = Array.from({ length: size }, (_, at) => at);
  while (coalitions.length < samples) {
    const kept = fullCoalition(size);
    const out = 1 + random.int(size);
    for (let i = 0; i < out; i++) {
      const other = i + random.int(size - i);
      [order[i], order[other]] = [must(order[other]), must(order[i])];
      kept[must(order[i])] = 0;
    }
    coalitions.push(kept);
  }
  return coalitions;
}

/** cos(kept, all) = sqrt(k / n). */
function kernel(kept: Coalition, width: number): number {
  const count = kept.reduce((sum, one) => sum + one, 0);
  const distance = 100 * (1 - Math.sqrt(count / kept.length));
  return Math.sqrt(Math.exp(-(distance ** 2) / width ** 2));
}

/** Weighted and centred sums of products, sufficient to fit any subset of the features. */
interface Moments {
  readonly n: number;
  /** [n] */
  readonly meanX: Float64Array;
  readonly meanY: number;
  /** [n, n] */
  readonly xx: Float64Array;
  /** [n] */
  readonly xy: Float64Array;
  readonly yy: number;
}

function moments(rows: readonly Coalition[], y: Float64Array, weights: Float64Array): Moments {
  const n = must(rows[0]).length;
  const xx = new Float64Array(n * n);
  const xy = new Float64Array(n);
  const meanX = new Float64Array(n);
  const on = new Int32Array(n);
  let [total, sumY, yy] = [0, 0, 0];
  rows.forEach((row, r) => {
    const w = must(weights[r]);
    const target = must(y[r]);
    total += w;
    sumY += w * target;
    yy += w * target * target;
    let count = 0;
    for (let i = 0; i < n; i++) if (row[i] === 1) on[count++] = i;
    for (let a = 0; a < count; a++) {
      const i = must(on[a]);
      meanX[i]! += w;
      xy[i]! += w * target;
      for (let b = 0; b <= a; b++) xx[i * n + must(on[b])]! += w;
    }
  });
  const meanY = sumY / total;
  for (let i = 0; i < n; i++) meanX[i]! /= total;
  for (let i = 0; i < n; i++) {
    xy[i]! -= total * must(meanX[i]) * meanY;
    for (let j = 0; j <= i; j++) {
      xx[i * n + j]! -= total * must(meanX[i]) * must(meanX[j]);
      xx[j * n + i] = must(xx[i * n + j]);
    }
  }
  return { n, meanX, meanY, xx, xy, yy: yy - total * meanY * meanY };
}

/** Ridge regression with an intercept on a subset of the features: coefficients, R2, and the solver of its normal equations. */
function ridge({ n, xx, xy, yy }: Moments, features: readonly number[], alpha: number) {
  const k = features.length;
  const a = new Float64Array(k * k);
  features.forEach((f, i) => {
    features.forEach((g, j) => {
      a[i * k + j] = must(xx[f * n + g]) + (i === j ? alpha : 0);
    });
  });
  const solve = solver(a, k);
  const right = features.map((f) => must(xy[f]));
  const beta = solve(right);
  // |y - X b|^2 = yy - 2 b'X'y + b'X'X b
  let error = yy;
  beta.forEach((b, i) => {
    error -= 2 * b * must(right[i]) + alpha * b * b;
    for (let j = 0; j < k; j++) error += b * must(a[i * k + j]) * must(beta[j]);
  });
  return { beta, solve, r2: yy > 1e-12 ? 1 - error / yy : 1 };
}

/** Features of the final model, ascending. */
function select(all: Moments, count: number): number[] {
  const features = Array.from({ length: all.n }, (_, at) => at);
  if (all.n <= count) return features;
  if (count > MAX_FORWARD_FEATURES) {
    const { beta } = ridge(all, features, SELECTION_RIDGE);
    const size = (at: number): number => Math.abs(must(beta[at]));
    return features
      .sort((a, b) => size(b) - size(a) || a - b)
      .slice(0, count)
      .sort((a, b) => a - b);
  }
  const chosen: number[] = [];
  while (chosen.length < count) {
    const left = features.filter((at) => !chosen.includes(at));
    const scores = left.map((at) => ridge(all, [...chosen, at], 0).r2);
    chosen.push(must(left[scores.indexOf(Math.max(...scores))]));
  }
  return chosen.sort((a, b) => a - b);
}

/** Weights with their 95 % intervals over re-sampling (sandwich estimate for fixed features), and the fit's R2. */
export async function lime(game: CoalitionGame, options: LimeOptions, random: Random): Promise<WeightedWords> {
  const { samples, kernelWidth, features } = options;
  const rows = neighbourhood(game.size, Math.max(2, samples), random);
  const y = await game.values(rows);
  const kernels = Float64Array.from(rows, (row) => kernel(row, kernelWidth));
  const all = moments(rows, y, kernels);
  const chosen = select(all, features);
  const { beta, solve, r2 } = ridge(all, chosen, game.size === 1 ? 0 : RIDGE);
  const intercept = chosen.reduce((rest, f, i) => rest - must(beta[i]) * must(all.meanX[f]), all.meanY);

  const k = chosen.length;
  const scores = new Float64Array(rows.length * k);
  rows.forEach((row, r) => {
    const fitted = chosen.reduce((sum, f, i) => sum + must(beta[i]) * must(row[f]), intercept);
    const pull = must(kernels[r]) * (must(y[r]) - fitted);
    chosen.forEach((f, i) => {
      scores[r * k + i] = pull * (must(row[f]) - must(all.meanX[f]));
    });
  });
  const covariance = sandwich(solve, scores, k);
  const weights = Array.from({ length: game.size }, () => ({ weight: 0 }));
  chosen.forEach((f, i) => {
    weights[f] = interval(must(beta[i]), Math.sqrt(must(covariance[i * k + i])));
  });
  const local = chosen.reduce((sum, _, i) => sum + must(beta[i]), intercept);
  return { weights, check: { samples: rows.length, kernelWidth, features: k, r2, intercept, localPrediction: local } };
}
