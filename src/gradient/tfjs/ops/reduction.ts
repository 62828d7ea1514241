/** @file Reductions over some axes, and running sums. */
import type { Tensor } from '@tensorflow/tfjs-core';
import { attributesOf } from '../../../onnx/attributes.js';
import * as host from '../host.js';
import { type Call, dimsOf, type KernelContext, type Op, type Ops, onHost, positive, range } from './kernel-context.js';

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
    (f: (x: Tensor, axes: number[], keep: boolean) => Tensor, g?: (x: number, y: number) => number): Op =>
    (call) => {
      const x = call.inputs[0]!;
      const axes = axesOf(call, dimsOf(x).length);
      // Over no axes each element is the sum of its own magnitude, square, ...
      if (axes.length === 0) return [onHost(x) ? x : f(tf.reshape(x, [...x.shape, 1]), [x.rank], false)];
      const keep = attributesOf(call.node).int('keepdims', 1) === 1;
      return [onHost(x) && g !== undefined ? host.reduce(x, axes, keep, g) : f(k.up(x), axes, keep)];
    };
  /** sqrt x, with a gradient of 0 where x is 0. */
  const safeRoot = (x: Tensor): Tensor => {
    const some = k.test(x, (v) => v > 0);
    return tf.mul(tf.sqrt(k.choose(some, x, tf.ones(x.shape))), k.indicator(some));
  };
  /** The product: all but the zeros' by exponents of logarithms would lose digits, so one factor after another. */
  const product = (x: Tensor, axes: number[], keep: boolean): Tensor =>
    axes
      .toSorted((a, b) => b - a)
      .reduce((input, axis) => {
        const factors = range(input.shape[axis]!).map((i) => k.slice(input, axis, i, i + 1));
        const one = factors.reduce((a, b) => tf.mul(a, b), tf.ones(input.shape.with(axis, 1)));
        return keep ? one : tf.squeeze(one, [axis]);
      }, x);
  const index =
    (better: (x: number, y: number) => boolean): Op =>
    ({ node, inputs: [x] }) => {
      const { int } = attributesOf(node);
      const { dims, data } = k.flat(x);
      const axis = positive(int('axis', 0), dims.length);
      const lastOfEqual = int('select_last_index', 0) === 1;
      const inner = host.sizeOf(dims.slice(axis + 1));
      const length = dims[axis]!;
      const found = range(host.sizeOf(dims) / length).map((i) => {
        const start = Math.floor(i / inner) * inner * length + (i % inner);
        return range(length).reduce((best, at) => {
          const [y, z] = [data[start + best * inner]!, data[start + at * inner]!];
          return better(z, y) || (lastOfEqual && z === y) ? at : best;
        }, 0);
      });
      return [{ dims: int('keepdims', 1) === 1 ? dims.with(axis, 1) : dims.toSpliced(axis, 1), data: found }];
    };
  const min = (x: Tensor, axes: number[], keep: boolean): Tensor => tf.neg(tf.max(tf.neg(x), axes, keep));
  return {
    ReduceSum: reducing(
      (x, axes, keep) => tf.sum(x, axes, keep),
      (x, y) => x + y,
    ),
    ReduceMean: reducing((x, axes, keep) => tf.mean(x, axes, keep)),
    ReduceMax: reducing((x, axes, keep) => tf.max(x, axes, keep), Math.max),
    ReduceMin: reducing(min, Math.min),
    ReduceProd: reducing(product, (x, y) => x * y),
    ReduceL1: reducing((x, axes, keep) => tf.sum(tf.abs(x), axes, keep)),
    ReduceL2: reducing((x, axes, keep) => safeRoot(tf.sum(tf.square(x), axes, keep))),
    ReduceSumSquare: reducing((x, axes, keep) => tf.sum(tf.square(x), axes, keep)),
    ReduceLogSum: reducing((x, axes, keep) => tf.log(tf.sum(x, axes, keep))),
    ReduceLogSumExp: reducing((x, axes, keep) => {
      const most = k.up(k.flat(tf.max(x, axes, true)));
      const sum = tf.log(tf.sum(tf.exp(tf.sub(x, most)), axes, keep));
      return tf.add(sum, tf.reshape(most, sum.shape));
    }),
    ArgMax: index((x, y) => x > y),
    ArgMin: index((x, y) => x < y),
    CumSum: ({ node, inputs: [x, axis] }) => {
      const { int } = attributesOf(node);
      const [exclusive, reverse] = [int('exclusive', 0) === 1, int('reverse', 0) === 1];
      const along = positive(k.integers(axis).data[0]!, dimsOf(x).length);
      return [onHost(x) ? host.cumulate(x, along, exclusive, reverse) : tf.cumsum(k.up(x), along, exclusive, reverse)];
    },
  } satisfies Ops;
};
