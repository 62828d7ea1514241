/** @file Arithmetic of two or more operands, with broadcasting. */
import type { Tensor } from '@tensorflow/tfjs-core';
import { attributesOf } from '../../../onnx/attributes.js';
import * as host from '../host.js';
import { dimsOf, type KernelContext, type Ops, onHost } from './kernel-context.js';

export const arithmetic = (k: KernelContext) => {
  const { tf } = k;
  /** a - b trunc(a / b), whose quotient is flat. */
  const remainder = (a: Tensor, b: Tensor): Tensor =>
    tf.sub(a, tf.mul(b, k.up(host.zip(k.flat(a), k.flat(b), (x, y) => Math.trunc(x / y)))));
  return {
    Add: k.binary(tf.add, (x, y) => x + y),
    Sub: k.binary(tf.sub, (x, y) => x - y),
    Mul: k.binary(tf.mul, (x, y) => x * y),
    Div: k.binary(tf.div, (x, y) => Math.trunc(x / y)),
    Mod: (call) => {
      const c = attributesOf(call.node).int('fmod', 0) === 1;
      return k.binary(remainder, (x, y) => (c ? x % y : ((x % y) + y) % y))(call);
    },
    Pow: ({ inputs: [a, b], depends }) => {
      if (onHost(a) && onHost(b)) return [host.zip(a, b, (x, y) => Math.trunc(x ** y))];
      // The square of a variance: exact, and without the logarithm that the exponent's derivative needs.
      const exponent = k.up(b);
      if (!depends[1] && exponent.size === 1 && exponent.dataSync()[0] === 2) return [tf.square(k.up(a))];
      return [tf.pow(k.up(a), exponent)];
    },
    Max: k.variadic(tf.maximum, Math.max),
    Min: k.variadic(tf.minimum, Math.min),
    Where: ({ inputs: [condition, x, y] }) => {
      const flags = k.integers(condition);
      const dims = host.broadcastDims(host.broadcastDims(flags.dims, dimsOf(x)), dimsOf(y));
      const chosen = host.expand(flags, dims);
      if (onHost(x) && onHost(y)) {
        const [a, b] = [host.expand(x, dims), host.expand(y, dims)];
        return [{ dims, data: chosen.data.map((flag, i) => (flag !== 0 ? a.data[i] : b.data[i])!) }];
      }
      return [k.choose(chosen, k.wide(k.up(x), dims), k.wide(k.up(y), dims))];
    },
  } satisfies Ops;
};
