/** @file Arithmetic of two or more operands, with broadcasting. */
import * as host from '../host.js';
import { dimsOf, type KernelContext, type Ops } from './kernel-context.js';

export const arithmetic = (k: KernelContext) => {
  const { tf } = k;
  return {
    Add: k.binary(tf.add),
    Sub: k.binary(tf.sub),
    Mul: k.binary(tf.mul),
    Div: k.binary(tf.div),
    Pow: ({ inputs: [a, b], depends }) => {
      // The square of a variance: exact, and without the logarithm that the exponent's derivative needs.
      const exponent = k.up(b);
      if (!depends[1] && exponent.size === 1 && exponent.dataSync()[0] === 2) return [tf.square(k.up(a))];
      return [tf.pow(k.up(a), exponent)];
    },
    Max: k.variadic(tf.maximum),
    Min: k.variadic(tf.minimum),
    Where: ({ inputs: [condition, x, y] }) => {
      const flags = k.integers(condition);
      const dims = [dimsOf(x), dimsOf(y)].reduce(host.broadcastDims, flags.dims);
      const chosen = tf.cast(k.wide(k.up(flags), dims), 'bool');
      return [tf.where(chosen, k.wide(k.up(x), dims), k.wide(k.up(y), dims))];
    },
  } satisfies Ops;
};
