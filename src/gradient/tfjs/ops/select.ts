/** @file Operators that cut and join a tensor along its axes. */
import { attributesOf } from '../../../../packages/onnx/src/graph/attributes.js';
import { must } from '../../../core/errors.js';
import * as host from '../host.js';
import { dimsOf, type KernelContext, type Ops, positive, range } from './kernel-context.js';

export const select = (k: KernelContext) => {
  const { tf } = k;
  return {
    Concat: ({ node, inputs }) => {
      const parts = inputs.map((part) => k.up(part));
      return [tf.concat(parts, positive(attributesOf(node).int('axis', 0), must(parts[0]).rank))];
    },
    Split: ({ node, inputs: [x, sizes] }) => {
      const dims = dimsOf(x);
      const { int, ints } = attributesOf(node);
      const axis = positive(int('axis', 0), dims.length);
      const length = must(dims[axis]);
      const parts = node.outputs.length;
      const part = Math.ceil(length / parts);
      const even = range(parts).map((i) => Math.min(part, length - i * part));
      const lengths = sizes === undefined ? (ints('split') ?? even) : k.integers(sizes).data;
      let start = 0;
      return lengths.map((size) => {
        const from = start;
        start += size;
        return k.slice(k.up(x), axis, from, start);
      });
    },
    Slice: ({ inputs: [x, starts, ends, axes, steps] }) => {
      const dims = dimsOf(x);
      const from = k.integers(starts).data;
      const to = k.integers(ends).data;
      const by = steps === undefined ? [] : k.integers(steps).data;
      const given = axes === undefined ? range(from.length) : k.integers(axes).data;
      const along = given.map((axis) => positive(axis, dims.length));
      const cuts = dims.map((d, axis) => {
        const i = along.indexOf(axis);
        return i < 0 ? { start: 0, step: 1, length: d } : host.cut(d, must(from[i]), must(to[i]), by[i] ?? 1);
      });
      // A strided slice has no gradient in TF.js; a gather has.
      return [
        cuts.reduce((input, { start, step, length }, axis) => {
          if (step === 1) return k.slice(input, axis, start, start + length);
          const positions = range(length).map((i) => start + i * step);
          return tf.gather(input, tf.tensor1d(positions, 'int32'), axis);
        }, k.up(x)),
      ];
    },
    /** A border, or, where the pads are negative, a cut. */
    Pad: (call) => {
      const [x, pads, , axes] = call.inputs;
      const rank = dimsOf(x).length;
      const given = axes === undefined ? range(rank) : k.integers(axes).data.map((axis) => positive(axis, rank));
      const widths = k.integers(pads).data;
      const around = range(rank).map((axis): [number, number] => {
        const i = given.indexOf(axis);
        return i < 0 ? [0, 0] : [must(widths[i]), must(widths[i + given.length])];
      });
      const cut = around.reduce((input, [before, after], axis) => {
        const size = must(input.shape[axis]);
        return before >= 0 && after >= 0
          ? input
          : k.slice(input, axis, Math.max(0, -before), size + Math.min(0, after));
      }, k.up(x));
      const border = around.map(([before, after]): [number, number] => [Math.max(0, before), Math.max(0, after)]);
      return [tf.pad(cut, border, k.parameter(call, 2)?.data[0] ?? 0)];
    },
  } satisfies Ops;
};
