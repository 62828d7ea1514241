/** @file Operators that move elements and change none. */
import { Unsupported } from '../../../../packages/onnx/src/autodiff/unsupported.js';
import { attributesOf } from '../../../../packages/onnx/src/graph/attributes.js';
import { DataType } from '../../../../packages/onnx/src/graph/data-type.js';
import { must } from '../../../core/errors.js';
import * as host from '../host.js';
import { type Call, dimsOf, type KernelContext, type Ops, onHost, positive, range } from './kernel-context.js';

const REAL: ReadonlySet<number> = new Set([DataType.float, DataType.float16, DataType.bfloat16, DataType.double]);
/** Does an element type hold real numbers? */
export const isReal = (type: number): boolean => REAL.has(type);

export const shape = (k: KernelContext) => {
  const { tf } = k;
  /** Axes as an attribute below opset 13 and as an input from there on. */
  const axesOf = ({ node, inputs }: Call): readonly number[] | undefined =>
    inputs[1] === undefined ? attributesOf(node).ints('axes') : k.integers(inputs[1]).data;
  return {
    Identity: k.unary((x) => x),
    Dropout: ({ inputs: [x, , training] }) => {
      if (training !== undefined && k.flat(training).data[0] !== 0) throw new Unsupported('training_mode');
      return [k.up(x)];
    },
    /** To real numbers: other casts let no gradient pass. */
    Cast: k.unary((x) => x),
    CastLike: ({ inputs: [x, like] }) => {
      if (!onHost(like)) return [k.up(x)];
      // Integers and booleans look alike here.
      throw new Unsupported('a target that holds no real numbers');
    },
    Reshape: ({ node, inputs: [x, shape] }) => {
      const from = dimsOf(x);
      const zeroMeansZero = attributesOf(node).int('allowzero', 0) === 1;
      const dims = k.integers(shape).data.map((d, i) => (d === 0 && !zeroMeansZero ? must(from[i]) : d));
      const known = host.sizeOf(dims.filter((d) => d !== -1));
      const to = dims.map((d) => (d === -1 ? host.sizeOf(from) / known : d));
      return [tf.reshape(k.up(x), to)];
    },
    Flatten: ({ node, inputs: [x] }) => {
      const dims = dimsOf(x);
      const axis = positive(attributesOf(node).int('axis', 1), dims.length);
      return [tf.reshape(k.up(x), [host.sizeOf(dims.slice(0, axis)), host.sizeOf(dims.slice(axis))])];
    },
    Squeeze: (call) => {
      const dims = dimsOf(call.inputs[0]);
      const axes =
        axesOf(call)?.map((axis) => positive(axis, dims.length)) ?? dims.flatMap((d, i) => (d === 1 ? [i] : []));
      const to = dims.filter((_, i) => !axes.includes(i));
      return [tf.reshape(k.up(call.inputs[0]), to)];
    },
    Unsqueeze: (call) => {
      const dims = dimsOf(call.inputs[0]);
      const named = axesOf(call) ?? [];
      const rank = dims.length + named.length;
      const inserted = new Set(named.map((axis) => positive(axis, rank)));
      const rest = [...dims];
      const to = range(rank).map((i) => (inserted.has(i) ? 1 : must(rest.shift())));
      return [tf.reshape(k.up(call.inputs[0]), to)];
    },
    Transpose: ({ node, inputs: [x] }) => {
      const perm = attributesOf(node).ints('perm') ?? range(dimsOf(x).length).reverse();
      return [tf.transpose(k.up(x), [...perm])];
    },
  } satisfies Ops;
};

/** Operators that repeat, blank out or reorder elements. */
export const order = (k: KernelContext) => {
  const { tf } = k;
  return {
    Expand: ({ inputs: [x, shape] }) => {
      const to = k.integers(shape).data;
      return [k.wide(k.up(x), host.broadcastDims(dimsOf(x), to))];
    },
    /** As a concatenation along each axis in turn: TF.js's own kernel has no gradient. */
    Tile: ({ inputs: [x, repeats] }) => [
      k
        .integers(repeats)
        .data.reduce((tiled, times, axis) => tf.concat(new Array<typeof tiled>(times).fill(tiled), axis), k.up(x)),
    ],
    Trilu: ({ node, inputs: [x, diagonal] }) => {
      const dims = dimsOf(x);
      const shift = diagonal === undefined ? 0 : must(k.integers(diagonal).data[0]);
      const upper = attributesOf(node).int('upper', 1) === 1;
      const [rows, columns] = dims.slice(-2) as [number, number];
      const kept = {
        dims,
        data: range(host.sizeOf(dims)).map((i) => {
          const beyond = (i % columns) - (Math.floor(i / columns) % rows) - shift;
          return Number(upper ? beyond >= 0 : beyond <= 0);
        }),
      };
      return [k.choose(kept, k.up(x), tf.zeros(k.up(x).shape))];
    },
    ReverseSequence: ({ node, inputs: [x, lengths] }) => {
      const { int } = attributesOf(node);
      const input = k.up(x);
      const dims = input.shape;
      const [batch, time] = [positive(int('batch_axis', 1), 2), positive(int('time_axis', 0), 2)];
      const step = (axis: number) => host.sizeOf(dims.slice(axis + 1));
      const many = k.integers(lengths).data;
      const positions = range(input.size).map((i) => {
        const at = Math.floor(i / step(time)) % must(dims[time]);
        const length = must(many[Math.floor(i / step(batch)) % must(dims[batch])]);
        return at < length ? i + (length - 1 - 2 * at) * step(time) : i;
      });
      return [k.take(input, positions, dims)];
    },
  } satisfies Ops;
};
