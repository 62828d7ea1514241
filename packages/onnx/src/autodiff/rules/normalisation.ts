/** @file Normalisation layers. */
import { attributesOf } from '../../graph/attributes.js';
import type { GradientRule } from '../tape.js';

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
