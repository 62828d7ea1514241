/** @file Log-odds that are as sure as they are right (Platt 1999). */
import { sigmoid } from '../../core/statistics/softmax.js';

/** P(yes | score) = sigmoid(slope * score + offset). */
export interface Calibrated {
  readonly slope: number;
  readonly offset: number;
}

interface LogisticPoint {
  readonly x: number;
  readonly target: number;
  readonly weight: number;
}

/**
 * Logistic regression on one number, by Newton's method: the likelihood is concave in two numbers. `pull`: of the slope to zero; `least`
 * keeps the Hessian invertible.
 */
export function fitLogistic(
  points: readonly LogisticPoint[],
  { steps, pull, least }: { readonly steps: number; readonly pull: number; readonly least: number },
): Calibrated {
  let [slope, offset] = [0, 0];
  for (let step = 0; step < steps; step++) {
    // The gradient, and the Hessian's entries with its signs changed.
    let [g0, g1, h00, h01, h11] = [-pull * slope, 0, Math.max(pull, least), 0, least];
    for (const { x, target, weight } of points) {
      const p = sigmoid(slope * x + offset);
      const [error, curve] = [weight * (target - p), weight * p * (1 - p)];
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

/** With a weak pull, scores that say nothing get a slope near 0 and the offset of the frequency. */
export const platt = (scores: readonly number[], yes: readonly boolean[]): Calibrated =>
  fitLogistic(
    scores.map((x, at) => ({ x, target: Number(yes[at]), weight: 1 })),
    { steps: 12, pull: 1, least: 1e-3 },
  );
