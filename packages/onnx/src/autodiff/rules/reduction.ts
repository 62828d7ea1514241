/** @file Reductions over some axes. `dy` and `y` get the reduced axes back, as ones, before they meet x. */
import { attributesOf } from '../../graph/attributes.js';
import { DataType } from '../../graph/data-type.js';
import { DYNAMIC } from '../shapes.js';
import type { GradientRule, NodeGradient } from '../tape.js';

/** Which axes a node reduces: none where an empty list means that. Each element is then the sum of its own magnitude, square, ... */
function axesOf({ g, node, x, inputs }: NodeGradient): number[] {
  const rank = g.rank(x);
  const axes = attributesOf(node).ints('axes') ?? g.constant(inputs[1]);
  if (axes !== undefined && axes.length > 0) return axes.map((axis) => g.axis(axis, rank));
  if (attributesOf(node).int('noop_with_empty_axes', 0) === 1) return [];
  return g.axesExcept(rank, []);
}

/** A rule for one reduction, given x, and y and dy of the same rank. */
const reducing =
  (dx: (at: NodeGradient, y: string, dy: string, axes: readonly number[]) => string): GradientRule =>
  (at) => {
    const { g, node, y, dy } = at;
    const axes = axesOf(at);
    const restore = (value: string) => (attributesOf(node).int('keepdims', 1) === 1 ? value : g.unsqueeze(value, axes));
    return [() => dx(at, restore(y), restore(dy), axes), undefined];
  };

/** y = sum x:  dx = dy */
export const ReduceSum: GradientRule = reducing(({ g, x }, _, dy) => g.expandLike(dy, x));

/** y = sum x / n:  dx = dy / n */
export const ReduceMean: GradientRule = reducing(({ g, x }, _, dy, axes) => {
  const dims = g.dims(x);
  if (axes.every((axis) => dims[axis] !== DYNAMIC)) {
    const n = axes.reduce((product, axis) => product * dims[axis]!, 1);
    return g.expandLike(g.scale(dy, 1 / n), x);
  }
  const n = g.op('ReduceProd', [g.gather(g.shape(x), g.ints(axes))], { keepdims: 0 });
  return g.expandLike(g.div(dy, g.cast(n, DataType.float)), x);
});

/** y = max x:  dx = dy where x = y, shared equally by n elements that tie */
export const ReduceMax: GradientRule = reducing(({ g, x }, y, dy, axes) => {
  const chosen = g.indicator(g.op('Equal', [x, y]));
  return g.mul(chosen, g.div(dy, g.sum(chosen, axes)));
});

/** y = min x: as ReduceMax */
export const ReduceMin: GradientRule = ReduceMax;

/** y = sum |x|:  dx = dy sign x */
export const ReduceL1: GradientRule = reducing(({ g, x }, _, dy) => g.mul(dy, g.op('Sign', [x])));

/** y = sqrt(sum x^2):  dx = dy x / y, and 0 where y is 0 */
export const ReduceL2: GradientRule = reducing(({ g, x }, y, dy) =>
  g.mul(x, g.keep(g.op('Greater', [y, g.float(0)]), g.div(dy, y))),
);

/** y = sum x^2:  dx = 2 dy x */
export const ReduceSumSquare: GradientRule = reducing(({ g, x }, _, dy) => g.mul(g.scale(dy, 2), x));

/** y = ln sum e^x:  dx = dy e^(x - y) */
export const ReduceLogSumExp: GradientRule = reducing(({ g, x }, y, dy) => g.mul(dy, g.exp(g.sub(x, y))));

/** y = x1, x1 + x2, ... along an axis:  dx = the same of dy from the other end */
export const CumSum: GradientRule = ({ g, node, inputs: [, axis = ''], dy }) => {
  const { int } = attributesOf(node);
  const attributes = { exclusive: int('exclusive', 0), reverse: 1 - int('reverse', 0) };
  return [() => g.op('CumSum', [dy, axis], attributes), undefined];
};
