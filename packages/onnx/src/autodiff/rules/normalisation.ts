/** @file Softmax and its logarithm, and normalisation layers. Up to opset 12 a softmax is over all axes from `axis` on, from 13 over that one. */
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

/**
 * y = n w + b, n = (x - mean) r, r = 1 / sqrt(variance + epsilon), over the axes from `axis` on (Ba et al. 2016).
 * With q = dy w:  dx = r (q - mean q - n mean(q n)),  dw = sum dy n,  db = sum dy
 */
export const LayerNormalization: GradientRule = ({ g, node, inputs, y, dy }) => {
  const [x, w, b] = inputs as [string, string, string?];
  const rank = g.rank(x);
  const axis = g.axis(attributesOf(node).int('axis', -1), rank);
  const inner = Array.from({ length: rank - axis }, (_, i) => axis + i);
  // The runtime hands out the mean and r, so that nothing is computed twice.
  const normalise = () => {
    const mean = g.extraOutput(node, 1);
    return g.mul(g.sub(x, mean), g.extraOutput(node, 2));
  };
  return [
    () => {
      const q = g.mul(dy, w);
      const n = normalise();
      const centred = g.sub(q, g.mean(q, inner));
      return g.mul(g.extraOutput(node, 2), g.sub(centred, g.mul(n, g.mean(g.mul(q, n), inner))));
    },
    () => g.sumTo(g.mul(dy, normalise()), g.dims(y), w),
    b ? () => g.sumTo(dy, g.dims(y), b) : undefined,
  ];
};
