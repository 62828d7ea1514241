/** @file Reductions over some axes, and running sums. */
import type { Tensor } from '@tensorflow/tfjs-core';
import { attributesOf } from '../../../../packages/onnx/src/graph/attributes.js';
import { type Call, type KernelContext, type Op, type Ops, positive, range } from './kernel-context.js';

export const reduction = (k: KernelContext) => {
  const { tf } = k;
  /** Axes as an attribute in old opsets and as an input in new ones; none where an empty list means that. */
  const axesOf = ({ node, inputs }: Call, rank: number): number[] => {
    const { ints, int } = attributesOf(node);
    const named = inputs[1] === undefined ? ints('axes') : k.integers(inputs[1]).data;
    if (named !== undefined && named.length > 0) return named.map((axis) => positive(axis, rank));
    return int('noop_with_empty_axes', 0) === 1 ? [] : range(rank);
  };
  const reducing =
    (f: (x: Tensor, axes: number[], keep: boolean) => Tensor): Op =>
    (call) => {
      const x = k.up(call.inputs[0]);
      const axes = axesOf(call, x.rank);
      // Over no axes each element is the sum of its own magnitude, square, ...
      if (axes.length === 0) return [f(tf.reshape(x, [...x.shape, 1]), [x.rank], false)];
      return [f(x, axes, attributesOf(call.node).int('keepdims', 1) === 1)];
    };
  /** sqrt x, with a gradient of 0 where x is 0. */
  const safeRoot = (x: Tensor): Tensor => {
    const some = k.test(x, (v) => v > 0);
    return tf.mul(tf.sqrt(k.choose(some, x, tf.ones(x.shape))), k.indicator(some));
  };
  const min = (x: Tensor, axes: number[], keep: boolean): Tensor => tf.neg(tf.max(tf.neg(x), axes, keep));
  return {
    ReduceSum: reducing((x, axes, keep) => tf.sum(x, axes, keep)),
    ReduceMean: reducing((x, axes, keep) => tf.mean(x, axes, keep)),
    ReduceMax: reducing((x, axes, keep) => tf.max(x, axes, keep)),
    ReduceMin: reducing(min),
    ReduceL1: reducing((x, axes, keep) => tf.sum(tf.abs(x), axes, keep)),
    ReduceL2: reducing((x, axes, keep) => safeRoot(tf.sum(tf.square(x), axes, keep))),
    ReduceSumSquare: reducing((x, axes, keep) => tf.sum(tf.square(x), axes, keep)),
    ReduceLogSumExp: reducing((x, axes, keep) => {
      const most = k.up(k.flat(tf.max(x, axes, true)));
      const sum = tf.log(tf.sum(tf.exp(tf.sub(x, most)), axes, keep));
      return tf.add(sum, tf.reshape(most, sum.shape));
    }),
    CumSum: ({ node, inputs: [x, axis] }) => {
      const { int } = attributesOf(node);
      const [exclusive, reverse] = [int('exclusive', 0) === 1, int('reverse', 0) === 1];
      const input = k.up(x);
      const along = positive(k.integers(axis).data[0]!, input.rank);
      return [tf.cumsum(input, along, exclusive, reverse)];
    },
  } satisfies Ops;
};
