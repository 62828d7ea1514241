/** @file Operators that pick elements by their indices, and put elements at them. */
import type { Tensor } from '@tensorflow/tfjs-core';
import { Unsupported } from '../../../../packages/onnx/src/autodiff/unsupported.js';
import { attributesOf } from '../../../../packages/onnx/src/graph/attributes.js';
import { must } from '../../../core/errors.js';
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
      const wrapped = index < 0 ? index + must(dims[axis]) : index;
      return sum + (j === axis ? wrapped : own) * must(steps[j]);
    }, 0),
  );
}

/** The positions of the slices that index tuples name: all elements of the first, then of the second, ... */
function tuples(dims: readonly number[], indices: host.HostArray): { positions: number[]; inner: readonly number[] } {
  const depth = must(indices.dims.at(-1));
  const inner = dims.slice(depth);
  const run = host.sizeOf(inner);
  const positions = range(indices.data.length / depth).flatMap((tuple) => {
    const start = range(depth).reduce((sum, j) => {
      const index = must(indices.data[tuple * depth + j]);
      const wrapped = index < 0 ? index + must(dims[j]) : index;
      return sum + wrapped * host.sizeOf(dims.slice(j + 1));
    }, 0);
    return range(run, start);
  });
  return { positions, inner };
}

export const lookup = (k: KernelContext) => {
  const { tf } = k;
  return {
    Gather: ({ node, inputs: [x, indices] }) => {
      const axis = positive(attributesOf(node).int('axis', 0), dimsOf(x).length);
      const at = k.integers(indices);
      const size = must(dimsOf(x)[axis]);
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
      const [length, kept] = [must(dims[axis]), must(k.integers(count).data[0])];
      const inner = host.sizeOf(dims.slice(axis + 1));
      const to = dims.with(axis, kept);
      // Row by row of the axis, the best first, the earlier of equals first.
      const ranked = range(host.sizeOf(dims) / length).map((row) => {
        const start = Math.floor(row / inner) * inner * length + (row % inner);
        const value = (i: number) => must(data[start + i * inner]);
        return range(length).sort((a, b) => sign * (value(a) - value(b)) || a - b);
      });
      const indices = range(host.sizeOf(to)).map((i) => {
        const row = Math.floor(i / (inner * kept)) * inner + (i % inner);
        return must(must(ranked[row])[Math.floor(i / inner) % kept]);
      });
      return [k.take(k.up(x), along(dims, { dims: to, data: indices }, axis), to)];
    },
  } satisfies Ops;
};
