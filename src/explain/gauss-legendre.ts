/** @file Numerical integration over [0, 1]. */

export interface QuadratureRule {
  readonly nodes: readonly number[];
  /** They sum to 1. */
  readonly weights: readonly number[];
}

/** The Gauss-Legendre rule of `n` nodes, exact for polynomials of degree 2n - 1: Newton's method on the Legendre polynomial. */
export function gaussLegendre(n: number): QuadratureRule {
  const nodes: number[] = [];
  const weights: number[] = [];
  for (let i = 0; i < n; i++) {
    let x = -Math.cos((Math.PI * (i + 0.75)) / (n + 0.5));
    let slope = 1;
    for (let round = 0; round < 20; round++) {
      let [before, value] = [1, x]; // P_0, P_1
      for (let k = 2; k <= n; k++) [before, value] = [value, ((2 * k - 1) * x * value - (k - 1) * before) / k];
      slope = (n * (x * value - before)) / (x * x - 1);
      x -= value / slope;
    }
    nodes.push((1 + x) / 2);
    weights.push(1 / ((1 - x * x) * slope * slope));
  }
  return { nodes, weights };
}
