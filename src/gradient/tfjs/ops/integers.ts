/** @file Operators that make shapes, indices and constants: nothing of them is differentiated. */
import { attributesOf } from '../../../onnx/attributes.js';
import { DataType } from '../../../onnx/data-type.js';
import { Unsupported } from '../../autodiff/unsupported.js';
import * as host from '../host.js';
import { dimsOf, type KernelContext, type Ops, onHost, positive, range } from './kernel-context.js';
import { isReal } from './shape.js';

export const integers = (k: KernelContext) => {
  const { tf } = k;
  return {
    Shape: ({ node, inputs: [x] }) => {
      const { int } = attributesOf(node);
      const dims = dimsOf(x);
      return [host.vector(dims.slice(int('start', 0), int('end', dims.length)))];
    },
    Size: ({ inputs: [x] }) => [host.scalar(host.sizeOf(dimsOf(x)))],
    ConstantOfShape: ({ node, inputs: [shape] }) => {
      const dims = k.integers(shape).data;
      const fill = attributesOf(node).tensor('value');
      if (fill === undefined) return [tf.fill([...dims], 0)];
      if (isReal(fill.type)) return [tf.fill([...dims], fill.floats()[0]!)];
      return [{ dims, data: new Array<number>(host.sizeOf(dims)).fill(fill.integers()[0]!) }];
    },
    Range: (call) => {
      const [from, to, step] = range(3).map((i) => k.parameter(call, i)?.data[0]) as [number, number, number];
      const values = host.vector(range(Math.max(0, Math.ceil((to - from) / step))).map((i) => from + i * step));
      return [call.inputs.every(onHost) ? values : k.up(values)];
    },
    EyeLike: ({ node, inputs: [x] }) => {
      const { int } = attributesOf(node);
      const dims = dimsOf(x);
      const [columns, diagonal] = [dims[1]!, int('k', 0)];
      const data = range(host.sizeOf(dims)).map((i) => Number((i % columns) - Math.floor(i / columns) === diagonal));
      const real = node.attributes.has('dtype') ? isReal(int('dtype', DataType.float)) : !onHost(x);
      return [real ? k.up({ dims, data }) : { dims, data }];
    },
    NonZero: ({ inputs: [x] }) => {
      const { dims, data } = k.flat(x);
      const found = data.flatMap((value, i) => (value !== 0 ? [i] : []));
      const rows = dims.map((d, axis) => found.map((i) => Math.floor(i / host.sizeOf(dims.slice(axis + 1))) % d));
      return [{ dims: [dims.length, found.length], data: rows.flat() }];
    },
    OneHot: (call) => {
      const { node, inputs } = call;
      const at = k.flat(inputs[0]);
      const depth = k.flat(inputs[1]).data[0]!;
      const [off, on] = k.parameter(call, 2)!.data as [number, number];
      const axis = positive(attributesOf(node).int('axis', -1), at.dims.length + 1);
      const dims = at.dims.toSpliced(axis, 0, depth);
      const inner = host.sizeOf(at.dims.slice(axis));
      const data = range(host.sizeOf(dims)).map((i) => {
        const index = at.data[Math.floor(i / (inner * depth)) * inner + (i % inner)]!;
        const wrapped = index < 0 ? index + depth : index;
        return wrapped === Math.floor(i / inner) % depth ? on : off;
      });
      return [onHost(inputs[2]) ? { dims, data } : k.up({ dims, data })];
    },
    Constant: () => {
      throw new Unsupported('texts or a sparse value'); // what else there is became an initializer: simplify/constants
    },
  } satisfies Ops;
};
