/** @file Log-odds that are as sure as they are right (Platt 1999). */
import { sigmoid } from '../../core/softmax.js';

/** Newton steps: the likelihood is concave in two numbers. */
const STEPS = 12;

/** P(yes | score) = sigmoid(slope * score + offset). */
export interface Calibrated {
  readonly slope: number;
  readonly offset: number;
}

/**
 * Logistic regression on one number, by Newton's method, with a weak pull of the slope to zero. Scores that say nothing get a slope near 0 and the offset of
 * the frequency.
 */
export function platt(scores: readonly number[], yes: readonly boolean[]): Calibrated {
  let [slope, offset] = [0, 0];
  for (let step = 0; step < STEPS; step++) {
    // The gradient, and the Hessian's entries with its signs changed: one pseudo-text keeps it invertible.
    let [g0, g1, h00, h01, h11] = [-slope, 0, 1, 0, 1e-3];
    scores.forEach((score, at) => {
      const p = sigmoid(slope * score + offset);
      const error = Number(yes[at]) - p;
      const weight = p * (1 - p);
      g0 += error * score;
      g1 += error;
      h00 += weight * score * score;
      h01 += weight * score;
      h11 += weight;
    });
    const determinant = h00 * h11 - h01 * h01;
    slope += (h11 * g0 - h01 * g1) / determinant;
    offset += (h00 * g1 - h01 * g0) / determinant;
  }
  return { slope, offset };
}
