/** @file Softmax and its logarithm. Up to opset 12 they normalise over all axes from `axis` on, from 13 over that one. */
import type { Tensor } from '@tensorflow/tfjs-core';
import { attributesOf } from '../../../../packages/onnx/src/graph/attributes.js';
import * as host from '../host.js';
import { type KernelContext, type Op, type Ops, positive, range } from './kernel-context.js';

export const softmax = (k: KernelContext) => {
  const { tf } = k;
  /** TF.js has them over the last axis only. */
  const along =
    (f: (x: Tensor) => Tensor): Op =>
    ({ node, inputs: [x], opset }) => {
      const input = k.up(x);
      const axis = positive(attributesOf(node).int('axis', opset < 13 ? 1 : -1), input.rank);
      if (axis === input.rank - 1) return [f(input)];
      if (opset < 13) {
        const rows = tf.reshape(input, [host.sizeOf(input.shape.slice(0, axis)), host.sizeOf(input.shape.slice(axis))]);
        return [tf.reshape(f(rows), input.shape)];
      }
      const last = [...range(input.rank).filter((i) => i !== axis), axis];
      return [
        tf.transpose(
          f(tf.transpose(input, last)),
          last.map((_, i) => last.indexOf(i)),
        ),
      ];
    };
  return { Softmax: along((x) => tf.softmax(x)), LogSoftmax: along((x) => tf.logSoftmax(x)) } satisfies Ops;
};
