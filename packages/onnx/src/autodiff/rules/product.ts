/** @file Matrix products. */
import { must } from '../../errors.js';
import { attributesOf } from '../../graph/attributes.js';
import { parseEinsum } from '../einsum.js';
import type { GradientRule, NodeGradient } from '../tape.js';

/**
 * y = a b over the last two axes, the others broadcast:  da = dy b^T,  db = a^T dy.
 * A vector counts as a matrix of one row (a) or one column (b).
 */
export const MatMul: GradientRule = (at) => {
  const { g, inputs, y } = at;
  const [a, b] = inputs as [string, string];
  const matrix = (x: string, axis: number) => (g.rank(x) === 1 ? g.unsqueeze(x, [axis]) : x);
  const missing = [...(g.rank(a) === 1 ? [-2] : []), ...(g.rank(b) === 1 ? [-1] : [])];
  const rank = g.rank(y) + missing.length;
  const dy = g.unsqueeze(
    at.dy,
    missing.map((axis) => rank + axis),
  );
  const batch = g.dims(y).slice(0, rank - 2);
  /** Sums over the batch axes along which an operand was repeated. */
  const back = (gradient: string, x: string, vector: string) =>
    g.rank(vector) === 1
      ? g.reshapeLike(g.sum(gradient, g.axesExcept(rank, [rank - 2, rank - 1])), vector)
      : g.sumTo(gradient, [...batch, ...g.dims(x).slice(-2)], x);
  return [
    () => back(g.fusedMatmul(dy, matrix(b, 1), false, true), a, a),
    () => {
      // One product over all rows instead of one a batch item and a sum.
      if (g.rank(b) === 2 && g.rank(a) > 2) return weightGradient(at);
      return back(g.fusedMatmul(matrix(a, 0), dy, true, false), b, b);
    },
  ];
};

/** db = [rows, k]^T [rows, n] of a [..., k] and dy [..., n]. */
function weightGradient({ g, inputs: [a = '', b = ''], dy }: NodeGradient): string {
  const [k, n] = g.dims(b) as [number, number];
  return g.gemm(g.reshape(a, [-1, k]), g.reshape(dy, [-1, n]), true, false);
}

/** y = alpha op(a) op(b) + beta c, where op may transpose:  da = alpha dy op(b)^T,  db = alpha op(a)^T dy,  dc = beta dy */
export const Gemm: GradientRule = ({ g, node, inputs, y, dy }) => {
  const [a, b, c] = inputs as [string, string, string?];
  const { int, float: real } = attributesOf(node);
  const transA = int('transA', 0);
  const transB = int('transB', 0);
  const alpha = real('alpha', 1);
  const product = (left: string, right: string, leftT: number, rightT: number) =>
    g.gemm(left, right, leftT === 1, rightT === 1, alpha);
  return [
    () => (transA ? product(b, dy, transB, 1) : product(dy, b, 0, 1 - transB)),
    () => (transB ? product(dy, a, 1, transA) : product(a, dy, 1 - transA, 0)),
    c === undefined ? undefined : () => g.sumTo(g.scale(dy, real('beta', 1)), g.dims(y), c),
  ];
};

/**
 * y = einsum(a, b; "A,B->Y"):  da = einsum(dy, b; "Y,B->A"),  db = einsum(a, dy; "A,Y->B").
 * An index of one operand only was summed out: the gradient is repeated along it.
 */
export const Einsum: GradientRule = ({ g, node, inputs, dy }) => {
  const { terms, result } = parseEinsum(
    attributesOf(node).string('equation', ''),
    inputs.map((x) => g.dims(x)),
  );
  return inputs.map((x, i) => () => {
    const others = inputs.flatMap((other, j) => (j === i ? [] : [{ name: other, term: must(terms[j]) }]));
    const seen = new Set(result + others.map((other) => other.term).join(''));
    const own = Array.from(must(terms[i]));
    const kept = own.filter((index) => seen.has(index)).join('');
    const equation = `${[result, ...others.map((other) => other.term)].join(',')}->${kept}`;
    const gradient = g.op('Einsum', [dy, ...others.map((other) => other.name)], { equation });
    const summedOut = own.flatMap((index, axis) => (seen.has(index) ? [] : [axis]));
    return summedOut.length === 0 ? gradient : g.expandLike(g.unsqueeze(gradient, summedOut), x);
  });
};
