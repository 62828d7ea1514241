/** @file Principal components of hidden states. */
import type { Random } from '../../core/random.js';

export interface Principal {
  readonly mean: Float64Array;
  /** Unit vectors, the direction of most variance first. */
  readonly axes: readonly Float64Array[];
}

/** Rounds of orthogonal iteration: the gap between leading eigenvalues of hidden states is wide. */
const ROUNDS = 30;

/**
 * The `count` leading axes of the rows' covariance, by orthogonal iteration (Golub and Van Loan, section 8.2.4), started at random
 * directions. O(rows * width^2).
 */
export function principal(rows: readonly Float32Array[], count: number, random: Random): Principal {
  const width = rows[0]?.length ?? 0;
  const mean = new Float64Array(width);
  for (const row of rows) for (let k = 0; k < width; k++) mean[k]! += row[k]! / rows.length;
  const covariance = covarianceOf(rows, mean);
  let axes: Float64Array[] = Array.from({ length: Math.min(count, width) }, () =>
    Float64Array.from(mean, () => random.normal()),
  );
  orthonormalise(axes);
  for (let round = 0; round < ROUNDS; round++) {
    axes = axes.map((axis) => product(covariance, axis));
    orthonormalise(axes);
  }
  return { mean, axes };
}

/** Row-major [width, width], times the number of rows. */
function covarianceOf(rows: readonly Float32Array[], mean: Float64Array): Float64Array {
  const width = mean.length;
  const covariance = new Float64Array(width * width);
  for (const row of rows) {
    const centred = mean.map((of, k) => row[k]! - of);
    for (let i = 0; i < width; i++) {
      for (let j = 0; j <= i; j++) covariance[i * width + j]! += centred[i]! * centred[j]!;
    }
  }
  for (let i = 0; i < width; i++) for (let j = 0; j < i; j++) covariance[j * width + i] = covariance[i * width + j]!;
  return covariance;
}

/** A square matrix times a vector. */
function product(matrix: Float64Array, vector: Float64Array): Float64Array {
  const width = vector.length;
  return Float64Array.from(vector, (_, i) => {
    let sum = 0;
    for (let j = 0; j < width; j++) sum += matrix[i * width + j]! * vector[j]!;
    return sum;
  });
}

/** Coordinates of a row along the axes. */
export const coordinates = ({ mean, axes }: Principal, row: Float32Array): Float64Array =>
  Float64Array.from(axes, (axis) => axis.reduce((sum, a, k) => sum + a * (row[k]! - mean[k]!), 0));

/** Squared distance of two points. */
export function squaredDistance(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += (a[k]! - b[k]!) ** 2;
  return sum;
}

/** Gram-Schmidt, in place; a linearly dependent direction becomes zero. */
function orthonormalise(axes: Float64Array[]): void {
  axes.forEach((axis, at) => {
    for (const before of axes.slice(0, at)) {
      const along = axis.reduce((sum, value, k) => sum + value * before[k]!, 0);
      for (let k = 0; k < axis.length; k++) axis[k]! -= along * before[k]!;
    }
    const norm = Math.sqrt(axis.reduce((sum, value) => sum + value * value, 0));
    for (let k = 0; k < axis.length; k++) axis[k] = norm > 1e-12 ? axis[k]! / norm : 0;
  });
}
