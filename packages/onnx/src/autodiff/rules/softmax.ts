/** @file Softmax and its logarithm. Up to opset 12 they normalise over all axes from `axis` on, from 13 over that one. */
import { attributesOf } from '../../graph/attributes.js';
import type { GradientRule, NodeGradient } from '../tape.js';

function normalise({ g, node, x }: NodeGradient): number[] {
  const rank = g.rank(x);
  const axis = g.axis(attributesOf(node).int('axis', g.opset >= 13 ? -1 : 1), rank);
  return g.opset >= 13 ? [axis] : Array.from({ length: rank - axis }, (_, i) => axis + i);
}

/** y = e^x / sum e^x:  dx = y (dy - sum(dy y)) */
export const Softmax: GradientRule = (at) => [
  () => {
    const { g, y, dy } = at;
    const p = g.mul(dy, y);
    return g.sub(p, g.mul(y, g.sum(p, normalise(at))));
  },
];

/** y = x - ln sum e^x:  dx = dy - e^y sum dy */
export const LogSoftmax: GradientRule = (at) => [
  () => {
    const { g, y, dy } = at;
    return g.sub(dy, g.mul(g.exp(y), g.sum(dy, normalise(at))));
  },
];
