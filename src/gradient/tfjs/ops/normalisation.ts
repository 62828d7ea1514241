/** @file Normalisation layers. The others are lowered first (lower/normalisation). */
import { attributesOf } from '../../../../packages/onnx/src/graph/attributes.js';
import { type KernelContext, type Ops, positive, range } from './kernel-context.js';

export const normalisation = (k: KernelContext) => {
  const { tf } = k;
  return {
    LayerNormalization: ({ node, inputs: [x, scale, bias] }) => {
      const { int, float } = attributesOf(node);
      const input = k.up(x);
      const axes = range(input.rank).slice(positive(int('axis', -1), input.rank));
      const mean = tf.mean(input, axes, true);
      const centred = tf.sub(input, mean);
      const inverse = tf.rsqrt(tf.add(tf.mean(tf.square(centred), axes, true), float('epsilon', 1e-5)));
      const normal = tf.mul(tf.mul(centred, inverse), k.up(scale));
      return [bias === undefined ? normal : tf.add(normal, k.up(bias)), mean, inverse];
    },
  } satisfies Ops;
};
