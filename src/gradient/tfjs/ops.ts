/**
 * @file ONNX operators as TF.js ops (onnx/docs/Operators.md). An op takes a node with its input values and gives its outputs. Where an
 * input may be an integer, there is a host and a TF.js way.
 */
import type { Tensor } from '@tensorflow/tfjs-core';
import { float, floats, int, ints, tensor, text } from '../../onnx/attributes.js';
import type { Node } from '../../onnx/model.js';
import type { TF } from './backend.js';
import type { HostArray } from './host.js';
import * as host from './host.js';

export type Value = Tensor | HostArray;

export interface Call {
  readonly node: Node;
  /** Undefined where an optional input is left out. */
  readonly inputs: readonly (Value | undefined)[];
  readonly opset: number;
}

export type Op = (call: Call) => Value[];

export const onHost = (value: Value | undefined): value is HostArray =>
  value !== undefined && 'data' in value && Array.isArray(value.data);
const dimsOf = (value: Value): readonly number[] => ('dims' in value ? value.dims : value.shape);
const positive = (axis: number, rank: number): number => (axis < 0 ? axis + rank : axis);

export function ops(tf: TF): Record<string, Op> {
  /** As a float tensor: host arrays are uploaded. */
  const up = (value: Value | undefined): Tensor => {
    if (onHost(value)) return tf.tensor([...value.data], [...value.dims], 'float32');
    return value as Tensor;
  };
  /** As a host array: tensors are read back; they are masks or comparisons, off the differentiable path. */
  const down = (value: Value | undefined): HostArray => {
    if (onHost(value)) return value;
    const t = value as Tensor;
    return { dims: t.shape, data: Array.from(t.dataSync()) };
  };
  const mask = (value: Value | undefined): Tensor => {
    const flags = down(value);
    return tf.tensor([...flags.data], [...flags.dims], 'bool');
  };
  const unary =
    (f: (x: Tensor, node: Node) => Tensor): Op =>
    ({ node, inputs: [x] }) => [f(up(x), node)];
  const arithmetic =
    (f: (a: Tensor, b: Tensor) => Tensor, g: (x: number, y: number) => number): Op =>
    ({ inputs: [a, b] }) =>
      onHost(a) && onHost(b) ? [host.zip(a, b, g)] : [f(up(a), up(b))];
  const comparison =
    (g: (x: number, y: number) => boolean): Op =>
    ({ inputs: [a, b] }) => [host.zip(down(a), down(b), (x, y) => Number(g(x, y)))];
  const variadic =
    (f: (a: Tensor, b: Tensor) => Tensor, g: (x: number, y: number) => number): Op =>
    ({ inputs }) => [
      (inputs as Value[]).reduce((a, b) => (onHost(a) && onHost(b) ? host.zip(a, b, g) : f(up(a), up(b)))),
    ];
  /** Axes as an attribute in old opsets and as an input in new ones; all of them where none is named. */
  const axesOf = ({ node, inputs }: Call, rank: number): number[] => {
    const named = onHost(inputs[1]) ? inputs[1].data : ints(node, 'axes');
    const all = Array.from({ length: rank }, (_, i) => i);
    if (named === undefined || named.length === 0) return int(node, 'noop_with_empty_axes', 0) === 1 ? [] : all;
    return named.map((axis) => positive(axis, rank));
  };
  const reduction =
    (f: (x: Tensor, axes: number[], keep: boolean) => Tensor, g?: (x: number, y: number) => number): Op =>
    (call) => {
      const x = call.inputs[0] as Value;
      const axes = axesOf(call, dimsOf(x).length);
      const keep = int(call.node, 'keepdims', 1) === 1;
      return [onHost(x) && g !== undefined ? host.reduce(x, axes, keep, g) : f(up(x), axes, keep)];
    };
  const reshape = (x: Value, dims: readonly number[]): Value =>
    onHost(x) ? { dims: [...dims], data: x.data } : tf.reshape(x as Tensor, [...dims]);
  /** TF.js has softmax over the last axis only. */
  const alongLast =
    (f: (x: Tensor) => Tensor): Op =>
    ({ node, inputs: [x], opset }) => {
      const input = up(x);
      const axis = positive(int(node, 'axis', opset < 13 ? 1 : -1), input.rank);
      if (axis === input.rank - 1) return [f(input)];
      const order = input.shape.map((_, i) => i).filter((i) => i !== axis);
      const last = [...order, axis];
      return [
        tf.transpose(
          f(tf.transpose(input, last)),
          last.map((_, i) => last.indexOf(i)),
        ),
      ];
    };
  /** Rank above 2 times a matrix is one flat product: wasm runs it much faster than the batched one. */
  const matMul = (a: Tensor, b: Tensor): Tensor => {
    if (b.rank === 2 && a.rank > 2) {
      const rows = tf.reshape(a, [-1, a.shape.at(-1) as number]);
      return tf.reshape(tf.matMul(rows, b as never), [...a.shape.slice(0, -1), b.shape[1] as number]);
    }
    const lead = host.broadcastDims(a.shape.slice(0, -2), b.shape.slice(0, -2));
    const widen = (x: Tensor): Tensor => tf.reshape(x, [...new Array(lead.length - x.rank + 2).fill(1), ...x.shape]);
    return tf.matMul(widen(a), widen(b));
  };
  const gelu = (x: Tensor): Tensor => tf.mul(tf.mul(x, 0.5), tf.add(1, tf.erf(tf.mul(x, Math.SQRT1_2))));
  const geluTanh = (x: Tensor): Tensor =>
    tf.mul(
      tf.mul(x, 0.5),
      tf.add(1, tf.tanh(tf.mul(Math.sqrt(2 / Math.PI), tf.add(x, tf.mul(0.044715, tf.mul(x, tf.square(x))))))),
    );

  return {
    Add: arithmetic(tf.add, (x, y) => x + y),
    Sub: arithmetic(tf.sub, (x, y) => x - y),
    Mul: arithmetic(tf.mul, (x, y) => x * y),
    Div: arithmetic(tf.div, (x, y) => Math.trunc(x / y)),
    Mod: arithmetic(tf.mod, (x, y) => ((x % y) + y) % y),
    Pow: ({ inputs: [a, b] }) => {
      if (onHost(a) && onHost(b)) return [host.zip(a, b, (x, y) => x ** y)];
      // The square of a variance: exact, and without the logarithm that the exponent's derivative needs.
      const exponent = up(b);
      if (exponent.size === 1 && exponent.dataSync()[0] === 2) return [tf.square(up(a))];
      return [tf.pow(up(a), exponent)];
    },
    Max: variadic(tf.maximum, Math.max),
    Min: variadic(tf.minimum, Math.min),
    Sum: variadic(tf.add, (x, y) => x + y),
    Equal: comparison((x, y) => x === y),
    Greater: comparison((x, y) => x > y),
    GreaterOrEqual: comparison((x, y) => x >= y),
    Less: comparison((x, y) => x < y),
    LessOrEqual: comparison((x, y) => x <= y),
    And: comparison((x, y) => x !== 0 && y !== 0),
    Or: comparison((x, y) => x !== 0 || y !== 0),
    Not: ({ inputs: [x] }) => [host.map(down(x), (v) => Number(v === 0))],

    Sqrt: unary((x) => tf.sqrt(x)),
    Reciprocal: unary((x) => tf.div(1, x)),
    Exp: unary((x) => tf.exp(x)),
    Log: unary((x) => tf.log(x)),
    Erf: unary((x) => tf.erf(x)),
    Tanh: unary((x) => tf.tanh(x)),
    Sigmoid: unary((x) => tf.sigmoid(x)),
    Softplus: unary((x) => tf.softplus(x)),
    Relu: unary((x) => tf.relu(x)),
    LeakyRelu: unary((x, node) => tf.leakyRelu(x, float(node, 'alpha', 0.01))),
    Gelu: unary((x, node) => (text(node, 'approximate', 'none') === 'tanh' ? geluTanh(x) : gelu(x))),
    FastGelu: ({ inputs: [x, bias] }) => [geluTanh(bias === undefined ? up(x) : tf.add(up(x), up(bias)))],
    BiasGelu: ({ inputs: [x, bias] }) => [gelu(tf.add(up(x), up(bias)))],
    Neg: ({ inputs: [x] }) => [onHost(x) ? host.map(x, (v) => -v) : tf.neg(up(x))],
    Abs: ({ inputs: [x] }) => [onHost(x) ? host.map(x, Math.abs) : tf.abs(up(x))],
    Clip: ({ node, inputs: [x, low, high] }) => {
      const least = low === undefined ? float(node, 'min', -3.4e38) : (down(low).data[0] as number);
      const most = high === undefined ? float(node, 'max', 3.4e38) : (down(high).data[0] as number);
      return [tf.clipByValue(up(x), least, most)];
    },
    Softmax: alongLast((x) => tf.softmax(x)),
    LogSoftmax: alongLast((x) => tf.logSoftmax(x)),

    ReduceMean: reduction((x, axes, keep) => tf.mean(x, axes, keep)),
    ReduceSum: reduction(
      (x, axes, keep) => tf.sum(x, axes, keep),
      (x, y) => x + y,
    ),
    ReduceMax: reduction((x, axes, keep) => tf.max(x, axes, keep), Math.max),
    ReduceProd: reduction(
      (x, axes, keep) => tf.prod(x, axes, keep),
      (x, y) => x * y,
    ),
    CumSum: ({ inputs: [x, axis] }) => {
      const input = down(x);
      return [host.cumulate(input, positive(down(axis).data[0] as number, input.dims.length))];
    },

    MatMul: ({ inputs: [a, b] }) => [matMul(up(a), up(b))],
    Gemm: ({ node, inputs: [a, b, c] }) => {
      const product = tf.matMul(
        up(a) as never,
        up(b) as never,
        int(node, 'transA', 0) === 1,
        int(node, 'transB', 0) === 1,
      );
      const alpha = float(node, 'alpha', 1);
      const beta = float(node, 'beta', 1);
      const scaled = alpha === 1 ? product : tf.mul(product, alpha);
      if (c === undefined) return [scaled];
      return [tf.add(scaled, beta === 1 ? up(c) : tf.mul(up(c), beta))];
    },
    LayerNormalization: ({ node, inputs: [x, scale, bias] }) => {
      const input = up(x);
      const from = positive(int(node, 'axis', -1), input.rank);
      const axes = input.shape.map((_, i) => i).slice(from);
      const centred = tf.sub(input, tf.mean(input, axes, true));
      const variance = tf.mean(tf.square(centred), axes, true);
      const normal = tf.mul(tf.mul(centred, tf.rsqrt(tf.add(variance, float(node, 'epsilon', 1e-5)))), up(scale));
      return [bias === undefined ? normal : tf.add(normal, up(bias))];
    },
    /** One spatial dimension, as a sum over the kernel's positions of shifted matrix products: wasm has no filter gradient of its own. */
    Conv: ({ node, inputs: [x, w, bias] }) => {
      const input = up(x); // [batch, channels, length]
      const kernel = up(w); // [filters, channels, width]
      const width = kernel.shape[2] as number;
      if (input.rank !== 3 || int(node, 'group', 1) !== 1)
        throw new RangeError('Conv: expected one spatial dimension and one group');
      const [before, after] = (ints(node, 'pads') ?? [0, 0]) as [number, number];
      const stride = ints(node, 'strides')?.[0] ?? 1;
      const dilation = ints(node, 'dilations')?.[0] ?? 1;
      const padded = tf.pad(tf.transpose(input, [0, 2, 1]), [
        [0, 0],
        [before, after],
        [0, 0],
      ]); // [batch, length, channels]
      const length = Math.floor(((padded.shape[1] as number) - dilation * (width - 1) - 1) / stride) + 1;
      let sum: Tensor | undefined;
      for (let k = 0; k < width; k++) {
        const positions = Array.from({ length }, (_, i) => k * dilation + i * stride);
        const window =
          stride === 1
            ? tf.slice(padded, [0, k * dilation, 0], [-1, length, -1])
            : tf.gather(padded, tf.tensor1d(positions, 'int32'), 1);
        const tap = tf.reshape(tf.slice(kernel, [0, 0, k], [-1, -1, 1]), kernel.shape.slice(0, 2)); // [filters, channels]
        const term = matMul(window, tf.transpose(tap));
        sum = sum === undefined ? term : tf.add(sum, term);
      }
      const out = bias === undefined ? (sum as Tensor) : tf.add(sum as Tensor, up(bias));
      return [tf.transpose(out, [0, 2, 1])];
    },

    Identity: ({ inputs: [x] }) => [x as Value],
    Dropout: ({ inputs: [x] }) => [x as Value],
    Cast: ({ node, inputs: [x] }) => {
      const floating = [1, 10, 11, 16].includes(int(node, 'to', 1));
      if (floating) return [up(x)];
      if (onHost(x)) return [int(node, 'to', 1) === 9 ? host.map(x, (v) => Number(v !== 0)) : x];
      return [host.map(down(x), Math.trunc)];
    },
    Shape: ({ node, inputs: [x] }) => {
      const dims = dimsOf(x as Value);
      return [host.vector(dims.slice(int(node, 'start', 0), int(node, 'end', dims.length)))];
    },
    Size: ({ inputs: [x] }) => [host.scalar(host.sizeOf(dimsOf(x as Value)))],
    ConstantOfShape: ({ node, inputs: [shape] }) => {
      const dims = down(shape).data;
      const fill = tensor(node, 'value');
      if (fill === undefined || fill.type === 1) {
        return [tf.fill([...dims], fill === undefined ? 0 : (fill.floats()[0] as number))];
      }
      return [{ dims, data: new Array<number>(host.sizeOf(dims)).fill(fill.integers()[0] as number) }];
    },
    Constant: ({ node }) => {
      const single = node.attributes.get('value_float');
      if (single !== undefined) return [tf.scalar(float(node, 'value_float', 0))];
      const many = floats(node, 'value_floats');
      if (many !== undefined) return [tf.tensor1d([...many])];
      const integers = ints(node, 'value_ints');
      return [integers === undefined ? host.scalar(int(node, 'value_int', 0)) : host.vector(integers)];
    },
    Range: ({ inputs: [start, limit, delta] }) => {
      const [from, to, step] = [start, limit, delta].map((x) => down(x).data[0]) as [number, number, number];
      return [
        host.vector(Array.from({ length: Math.max(0, Math.ceil((to - from) / step)) }, (_, i) => from + i * step)),
      ];
    },
    Reshape: ({ node, inputs: [x, shape] }) => {
      const from = dimsOf(x as Value);
      const zeroMeansZero = int(node, 'allowzero', 0) === 1;
      const dims = down(shape).data.map((d, i) => (d === 0 && !zeroMeansZero ? (from[i] as number) : d));
      const known = host.sizeOf(dims.filter((d) => d !== -1));
      return [
        reshape(
          x as Value,
          dims.map((d) => (d === -1 ? host.sizeOf(from) / known : d)),
        ),
      ];
    },
    Flatten: ({ node, inputs: [x] }) => {
      const dims = dimsOf(x as Value);
      const axis = positive(int(node, 'axis', 1), dims.length);
      return [reshape(x as Value, [host.sizeOf(dims.slice(0, axis)), host.sizeOf(dims.slice(axis))])];
    },
    Squeeze: (call) => {
      const x = call.inputs[0] as Value;
      const dims = dimsOf(x);
      const named = onHost(call.inputs[1]) ? call.inputs[1].data : ints(call.node, 'axes');
      const axes = named?.map((axis) => positive(axis, dims.length)) ?? dims.flatMap((d, i) => (d === 1 ? [i] : []));
      return [
        reshape(
          x,
          dims.filter((_, i) => !axes.includes(i)),
        ),
      ];
    },
    Unsqueeze: ({ node, inputs: [x, axes] }) => {
      const dims = dimsOf(x as Value);
      const named = axes === undefined ? (ints(node, 'axes') ?? []) : down(axes).data;
      const rank = dims.length + named.length;
      const inserted = new Set(named.map((axis) => positive(axis, rank)));
      const rest = [...dims];
      return [
        reshape(
          x as Value,
          Array.from({ length: rank }, (_, i) => (inserted.has(i) ? 1 : (rest.shift() as number))),
        ),
      ];
    },
    Transpose: ({ node, inputs: [x] }) => {
      const perm = ints(node, 'perm') ?? dimsOf(x as Value).map((_, i, all) => all.length - 1 - i);
      return [onHost(x) ? host.transpose(x, perm) : tf.transpose(up(x), [...perm])];
    },
    Expand: ({ inputs: [x, shape] }) => {
      const to = down(shape).data;
      if (onHost(x)) return [host.expand(x, to)];
      return [tf.mul(up(x), tf.ones(host.broadcastDims(up(x).shape, to)))];
    },
    Where: ({ inputs: [condition, x, y] }) => {
      if (onHost(x) && onHost(y)) {
        const dims = host.broadcastDims(host.broadcastDims(down(condition).dims, x.dims), y.dims);
        const [c, a, b] = [host.expand(down(condition), dims), host.expand(x, dims), host.expand(y, dims)];
        return [{ dims, data: c.data.map((flag, i) => (flag !== 0 ? a.data[i] : b.data[i]) as number) }];
      }
      const dims = host.broadcastDims(host.broadcastDims(down(condition).dims, up(x).shape), up(y).shape);
      const ones = tf.ones(dims);
      return [tf.where(mask(host.expand(down(condition), dims)), tf.mul(up(x), ones), tf.mul(up(y), ones))];
    },
    Gather: ({ node, inputs: [x, indices] }) => {
      const axis = positive(int(node, 'axis', 0), dimsOf(x as Value).length);
      const at = down(indices);
      if (onHost(x)) return [host.gather(x, at, axis)];
      const size = up(x).shape[axis] as number;
      const wrapped = at.data.map((i) => (i < 0 ? i + size : i));
      return [tf.gather(up(x), tf.tensor(wrapped, [...at.dims], 'int32'), axis)];
    },
    Concat: ({ node, inputs }) => {
      const parts = inputs as Value[];
      const axis = positive(int(node, 'axis', 0), dimsOf(parts[0] as Value).length);
      return [parts.every(onHost) ? host.concat(parts, axis) : tf.concat(parts.map(up), axis)];
    },
    Split: ({ node, inputs: [x, sizes] }) => {
      const dims = dimsOf(x as Value);
      const axis = positive(int(node, 'axis', 0), dims.length);
      const length = dims[axis] as number;
      const parts = node.outputs.length;
      const lengths = sizes === undefined ? ints(node, 'split') : down(sizes).data;
      const even = Array.from({ length: parts }, (_, i) =>
        Math.min(Math.ceil(length / parts), length - i * Math.ceil(length / parts)),
      );
      let start = 0;
      return (lengths ?? even).map((size) => {
        const begin = dims.map((_, i) => (i === axis ? start : 0));
        start += size;
        return tf.slice(
          up(x),
          begin,
          dims.map((d, i) => (i === axis ? size : d)),
        );
      });
    },
    Slice: ({ node, inputs: [x, starts, ends, axes, steps] }) => {
      const dims = dimsOf(x as Value);
      const list = (input: Value | undefined, name: string): readonly number[] | undefined =>
        input === undefined ? ints(node, name) : down(input).data;
      const from = list(starts, 'starts') ?? [];
      const to = list(ends, 'ends') ?? [];
      const along = (list(axes, 'axes') ?? from.map((_, i) => i)).map((axis) => positive(axis, dims.length));
      const by = list(steps, 'steps');
      const cuts = dims.map((d, axis) => {
        const i = along.indexOf(axis);
        return i < 0 ? { start: 0, step: 1, length: d } : host.cut(d, from[i] as number, to[i] as number, by?.[i] ?? 1);
      });
      if (onHost(x)) return [host.slice(x, cuts)];
      // A strided slice has no gradient in TF.js; a gather has.
      return [
        cuts.reduce((input, { start, step, length }, axis) => {
          if (step === 1) {
            const begin = input.shape.map((_, i) => (i === axis ? start : 0));
            return tf.slice(
              input,
              begin,
              input.shape.map((d, i) => (i === axis ? length : d)),
            );
          }
          const positions = Array.from({ length }, (_, i) => start + i * step);
          return tf.gather(input, tf.tensor1d(positions, 'int32'), axis);
        }, up(x)),
      ];
    },
  };
}
