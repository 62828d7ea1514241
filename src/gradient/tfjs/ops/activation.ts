/** @file Activation functions. At a kink the derivative is PyTorch's. */
import type { Tensor } from '@tensorflow/tfjs-core';
import { attributesOf } from '../../../../packages/onnx/src/graph/attributes.js';
import * as host from '../host.js';
import type { KernelContext, Ops } from './kernel-context.js';

/** The greatest single-precision number. */
const FLT_MAX = (2 - 2 ** -23) * 2 ** 127;

/** max(0, min(1, alpha x + beta)): within the kinks the line, else a constant. */
export function hardSigmoid(k: KernelContext, x: Tensor, alpha: number, beta: number): Tensor {
  const { tf } = k;
  const line = tf.add(tf.mul(x, alpha), beta);
  const values = k.flat(line);
  const ends = k.up(host.map(values, (y) => Number(y >= 1)));
  return k.choose(
    host.map(values, (y) => Number(y > 0 && y < 1)),
    line,
    ends,
  );
}

export const activation = (k: KernelContext) => {
  const { tf } = k;
  /** `right` where x > 0, else `left`. */
  const bent = (x: Tensor, right: Tensor, left: Tensor): Tensor =>
    k.choose(
      k.test(x, (v) => v > 0),
      right,
      left,
    );
  /** e^x - 1 where x <= 0; elsewhere it may not overflow, for infinity times nothing is not nothing. */
  const below = (x: Tensor): Tensor => tf.sub(tf.exp(bent(x, tf.zeros(x.shape), x)), 1);
  return {
    Tanh: k.unary((x) => tf.tanh(x)),
    Sigmoid: k.unary((x) => tf.sigmoid(x)),
    HardSigmoid: k.unary((x, node) => {
      const { float } = attributesOf(node);
      return hardSigmoid(k, x, float('alpha', 0.2), float('beta', 0.5));
    }),
    Softplus: k.unary((x) => tf.softplus(x)),
    Relu: k.unary((x) => tf.relu(x)),
    LeakyRelu: k.unary((x, node) => tf.leakyRelu(x, attributesOf(node).float('alpha', 0.01))),
    Elu: k.unary((x, node) => bent(x, x, tf.mul(below(x), attributesOf(node).float('alpha', 1)))),
    Clip: (call) => {
      const low = k.parameter(call, 1)?.data[0] ?? -FLT_MAX;
      const high = k.parameter(call, 2)?.data[0] ?? FLT_MAX;
      // Where low exceeds high the operator gives high.
      return [tf.clipByValue(k.up(call.inputs[0]), Math.min(low, high), high)];
    },
  } satisfies Ops;
};
