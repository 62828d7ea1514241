/** @file Log-odds that are as sure as they are right (Platt 1999). */
import { sigmoid } from '../../core/statistics/softmax.js';

/** P(yes | score) = sigmoid(slope * score + offset). */
export interface Calibrated {
  readonly slope: number;
  readonly offset: number;
}

const STEPS = 12;
/** Of the slope to zero: scores that say nothing get a slope near 0 and the offset of the frequency. */
const PULL = 1;
/** Keeps the Hessian invertible. */
const LEAST = 1e-3;

/** Logistic regression on one number, by Newton's method: the likelihood is concave in two numbers. */
export function platt(scores: readonly number[], yes: readonly boolean[]): Calibrated {
  let [slope, offset] = [0, 0];
  for (let step = 0; step < STEPS; step++) {
    // The gradient, and the Hessian's entries with its signs changed.
    let [g0, g1, h00, h01, h11] = [-PULL * slope, 0, PULL, 0, LEAST];
    for (const [at, x] of scores.entries()) {
      const p = sigmoid(slope * x + offset);
      const [error, curve] = [Number(yes[at]) - p, p * (1 - p)];
      g0 += error * x;
      g1 += error;
      h00 += curve * x * x;
      h01 += curve * x;
      h11 += curve;
    }
    const determinant = h00 * h11 - h01 * h01;
    slope += (h11 * g0 - h01 * g1) / determinant;
    offset += (h00 * g1 - h01 * g0) / determinant;
  }
  return { slope, offset };
}
