/** @file Convolution over any number of spatial axes: x [batch, channels, ...], w [filters, channels / groups, ...kernel]. */
import type { Tensor } from '@tensorflow/tfjs-core';
import { windowOf } from '../../../../packages/onnx/src/autodiff/window.js';
import { attributesOf } from '../../../../packages/onnx/src/graph/attributes.js';
import { must } from '../../../core/errors.js';
import * as host from '../host.js';
import { type KernelContext, type Ops, range } from './kernel-context.js';

export const convolution = (k: KernelContext) => {
  const { tf } = k;
  /** Every step-th of `length` elements from `start` along an axis. */
  const strided = (x: Tensor, axis: number, start: number, length: number, step: number): Tensor => {
    if (step === 1) return k.slice(x, axis, start, start + length);
    return tf.gather(
      x,
      tf.tensor1d(
        range(length).map((i) => start + i * step),
        'int32',
      ),
      axis,
    );
  };
  return {
    /** A sum over the kernel's places of shifted matrix products: wasm has no filter gradient of its own. */
    Conv: ({ node, inputs: [x, w, bias] }) => {
      const [input, weights] = [k.up(x), k.up(w)];
      const { axes, kernel, strides, dilations, pads, spans } = windowOf(input.shape, node, weights.shape.slice(2));
      const groups = attributesOf(node).int('group', 1);
      const last = [0, ...axes, 1]; // channels last
      const padded = tf.pad(tf.transpose(input, last), [
        [0, 0],
        ...axes.map((_, i): [number, number] => [must(pads[i]), must(pads[i + axes.length])]),
        [0, 0],
      ]);
      const sizes = axes.map((_, i) => {
        const [size, span] = [must(padded.shape[i + 1]), must(spans[i])];
        return Math.floor((size - span) / must(strides[i])) + 1;
      });
      const [filters, channels] = [weights.shape[0] / groups, must(weights.shape[1])];
      const parts = range(groups).map((group) => {
        const own = k.slice(padded, padded.rank - 1, group * channels, (group + 1) * channels);
        const taps = k.slice(weights, 0, group * filters, (group + 1) * filters);
        // The kernel's places, the last axis fastest.
        const terms = range(host.sizeOf(kernel)).map((place) => {
          const at = kernel.map((d, i) => Math.floor(place / host.sizeOf(kernel.slice(i + 1))) % d);
          const window = axes.reduce(
            (t, _, i) => strided(t, i + 1, must(at[i]) * must(dilations[i]), must(sizes[i]), must(strides[i])),
            own,
          );
          const tap = at.reduce((t, position, i) => k.slice(t, i + 2, position, position + 1), taps);
          return k.matMul(window, tf.transpose(tf.reshape(tap, [filters, channels])));
        });
        return terms.reduce((a, b) => tf.add(a, b));
      });
      const joined = parts.length === 1 ? must(parts[0]) : tf.concat(parts, padded.rank - 1);
      const out = bias === undefined ? joined : tf.add(joined, k.up(bias));
      return [tf.transpose(out, [0, out.rank - 1, ...range(axes.length, 1)])];
    },
  } satisfies Ops;
};
