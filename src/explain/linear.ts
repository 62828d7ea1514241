/** @file Dense linear algebra for symmetric positive definite systems. */
import { must } from '../core/errors.js';

/** The lower triangle L of A = L L', row-major [n, n]. If rounding leaves a pivot at or below zero, its variable is dropped. */
function cholesky(a: Float64Array, n: number): Float64Array {
  const l = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = must(a[i * n + j]);
      for (let k = 0; k < j; k++) sum -= must(l[i * n + k]) * must(l[j * n + k]);
      if (i !== j) l[i * n + j] = sum / must(l[j * n + j]);
      else l[i * n + i] = sum > 1e-12 * must(a[i * n + i]) ? Math.sqrt(sum) : Number.POSITIVE_INFINITY;
    }
  }
  return l;
}

/** Solves A x = b for symmetric positive definite A, row-major [n, n]. */
export function solver(a: Float64Array, n: number): (b: ArrayLike<number>) => Float64Array {
  const l = cholesky(a, n);
  return (b) => {
    const x = Float64Array.from(b);
    for (let i = 0; i < n; i++) {
      for (let k = 0; k < i; k++) x[i]! -= must(l[i * n + k]) * must(x[k]);
      x[i]! /= must(l[i * n + i]);
    }
    for (let i = n - 1; i >= 0; i--) {
      for (let k = i + 1; k < n; k++) x[i]! -= must(l[k * n + i]) * must(x[k]);
      x[i]! /= must(l[i * n + i]);
    }
    return x;
  };
}

/**
 * Standard errors of least-squares coefficients by the sandwich formula (White 1980). `solve` applies the inverse Hessian; `scores` are the
 * rows' contributions to the normal equations at the solution, row-major [rows, n]. Valid for any noise distribution, and for a linear fit
 * to a nonlinear function.
 */
export function sandwich(solve: (b: ArrayLike<number>) => Float64Array, scores: Float64Array, n: number) {
  const meat = new Float64Array(n * n);
  for (let row = 0; row < scores.length; row += n) {
    for (let i = 0; i < n; i++) {
      const s = must(scores[row + i]);
      if (s === 0) continue;
      for (let j = 0; j < n; j++) meat[i * n + j]! += s * must(scores[row + j]);
    }
  }
  const covariance = new Float64Array(n * n); // H^-1 M H^-1
  const half = new Float64Array(n * n);
  for (let i = 0; i < n; i++) half.set(solve(meat.subarray(i * n, (i + 1) * n)), i * n); // row i: (M H^-1)_i
  for (let j = 0; j < n; j++) {
    const column = solve(Float64Array.from({ length: n }, (_, i) => must(half[i * n + j])));
    for (let i = 0; i < n; i++) covariance[i * n + j] = must(column[i]);
  }
  return covariance;
}
