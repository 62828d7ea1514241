/** @file Operators that pick, cut and join parts of a tensor. */
import type { Tensor } from '@tensorflow/tfjs-core';
import { attributesOf } from '../../../onnx/attributes.js';
import { Unsupported } from '../../autodiff/unsupported.js';
import * as host from '../host.js';
import { dimsOf, type KernelContext, type Ops, positive, range } from './kernel-context.js';

/** x with the elements at `positions` (the last counts) replaced by those of u. */
function put(k: KernelContext, x: Tensor, positions: readonly number[], u: Tensor): Tensor {
  const from = range(x.size);
  for (const [i, position] of positions.entries()) from[position] = x.size + i;
  const both = k.tf.concat([k.tf.reshape(x, [x.size]), k.tf.reshape(u, [u.size])]);
  return k.take(both, from, x.shape);
}

/** Where in an array of `dims` the elements stand that have, along an axis, the given index, and elsewhere their own. */
function along(dims: readonly number[], indices: host.HostArray, axis: number): number[] {
  const steps = dims.map((_, i) => host.sizeOf(dims.slice(i + 1)));
  return indices.data.map((index, i) =>
    indices.dims.reduce((sum, d, j) => {
      const own = Math.floor(i / host.sizeOf(indices.dims.slice(j + 1))) % d;
      const wrapped = index < 0 ? index + dims[axis]! : index;
      return sum + (j === axis ? wrapped : own) * steps[j]!;
    }, 0),
  );
}

/** The positions of the slices that index tuples name: all elements of the first, then of the second, ... */
function tuples(dims: readonly number[], indices: host.HostArray): { positions: number[]; inner: readonly number[] } {
  const depth = indices.dims.at(-1)!;
  const inner = dims.slice(depth);
  const run = host.sizeOf(inner);
  const positions = range(indices.data.length / depth).flatMap((tuple) => {
    const start = range(depth).reduce((sum, j) => {
      const index = indices.data[tuple * depth + j]!;
      const wrapped = index < 0 ? index + dims[j]! : index;
      return sum + wrapped * host.sizeOf(dims.slice(j + 1));
    }, 0);
    return range(run, start);
  });
  return { positions, inner };
}

export const select = (k: KernelContext) => {
  const { tf } = k;
  return {
    Gather: ({ node, inputs: [x, indices] }) => {
      const axis = positive(attributesOf(node).int('axis', 0), dimsOf(x).length);
      const at = k.integers(indices);
      const size = dimsOf(x)[axis]!;
      const wrapped = at.data.map((i) => (i < 0 ? i + size : i));
      return [tf.gather(k.up(x), tf.tensor(wrapped, [...at.dims], 'int32'), axis)];
    },
    GatherElements: ({ node, inputs: [x, indices] }) => {
      const at = k.integers(indices);
      const axis = positive(attributesOf(node).int('axis', 0), at.dims.length);
      return [k.take(k.up(x), along(dimsOf(x), at, axis), at.dims)];
    },
    GatherND: ({ inputs: [x, indices] }) => {
      const at = k.integers(indices);
      const { positions, inner } = tuples(dimsOf(x), at);
      return [k.take(k.up(x), positions, [...at.dims.slice(0, -1), ...inner])];
    },
    ScatterElements: ({ node, inputs: [x, indices, updates] }) => {
      const at = k.integers(indices);
      const axis = positive(attributesOf(node).int('axis', 0), at.dims.length);
      return [put(k, k.up(x), along(dimsOf(x), at, axis), k.up(updates))];
    },
    ScatterND: ({ inputs: [x, indices, updates] }) => [
      put(k, k.up(x), tuples(dimsOf(x), k.integers(indices)).positions, k.up(updates)),
    ],
    /** The values; the places have no gradient. */
    TopK: ({ node, inputs: [x, count] }) => {
      const { int } = attributesOf(node);
      if (int('sorted', 1) !== 1) throw new Unsupported('attribute sorted = 0');
      const { dims, data } = k.flat(x);
      const axis = positive(int('axis', -1), dims.length);
      const sign = int('largest', 1) === 1 ? -1 : 1;
      const [length, kept] = [dims[axis]!, k.integers(count).data[0]!];
      const inner = host.sizeOf(dims.slice(axis + 1));
      const to = dims.with(axis, kept);
      // Row by row of the axis, the best first, the earlier of equals first.
      const ranked = range(host.sizeOf(dims) / length).map((row) => {
        const start = Math.floor(row / inner) * inner * length + (row % inner);
        const value = (i: number) => data[start + i * inner]!;
        return range(length).sort((a, b) => sign * (value(a) - value(b)) || a - b);
      });
      const indices = range(host.sizeOf(to)).map((i) => {
        const row = Math.floor(i / (inner * kept)) * inner + (i % inner);
        return ranked[row]![Math.floor(i / inner) % kept]!;
      });
      return [k.take(k.up(x), along(dims, { dims: to, data: indices }, axis), to)];
    },
    Concat: ({ node, inputs }) => {
      const parts = inputs.map((part) => k.up(part));
      return [tf.concat(parts, positive(attributesOf(node).int('axis', 0), parts[0]!.rank))];
    },
    Split: ({ node, inputs: [x, sizes] }) => {
      const dims = dimsOf(x);
      const { int, ints } = attributesOf(node);
      const axis = positive(int('axis', 0), dims.length);
      const length = dims[axis]!;
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
        return i < 0 ? { start: 0, step: 1, length: d } : host.cut(d, from[i]!, to[i]!, by[i] ?? 1);
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
        return i < 0 ? [0, 0] : [widths[i]!, widths[i + given.length]!];
      });
      const cut = around.reduce((input, [before, after], axis) => {
        const size = input.shape[axis]!;
        return before >= 0 && after >= 0
          ? input
          : k.slice(input, axis, Math.max(0, -before), size + Math.min(0, after));
      }, k.up(x));
      const border = around.map(([before, after]): [number, number] => [Math.max(0, before), Math.max(0, after)]);
      return [tf.pad(cut, border, k.parameter(call, 2)?.data[0] ?? 0)];
    },
  } satisfies Ops;
};
