/**
 * @file Helpers of every TF.js op. Real numbers are TF.js tensors, which the tape follows; integers and booleans are host arrays. Values
 * that are read back from the backend leave the tape, and their gradient is lost. So only `flat` reads back, for functions whose gradient
 * is zero.
 */
import type { Tensor } from '@tensorflow/tfjs-core';
import { Unsupported } from '../../../../packages/onnx/src/autodiff/unsupported.js';
import type { Node } from '../../../../packages/onnx/src/graph/model.js';
import { must } from '../../../core/errors.js';
import type { TF } from '../../../tfjs/tf.js';
import type { HostArray } from '../host.js';
import * as host from '../host.js';

export type Value = Tensor | HostArray;

export interface Call {
  readonly node: Node;
  /** Undefined where an optional input is left out. */
  readonly inputs: readonly (Value | undefined)[];
  /** Does an input depend on what is differentiated by? */
  readonly depends: readonly boolean[];
  readonly opset: number;
}

/** Gives the node's outputs, as many as it computes. Throws Unsupported. */
export type Op = (call: Call) => readonly Tensor[];

/** ONNX operator -> op. */
export type Ops = Readonly<Record<string, Op>>;

export const onHost = (value: Value | undefined): value is HostArray =>
  value !== undefined && 'data' in value && Array.isArray(value.data);
export const dimsOf = (value: Value | undefined): readonly number[] =>
  value === undefined ? [] : 'dims' in value ? value.dims : value.shape;
/** An axis counted from the front. */
export const positive = (axis: number, rank: number): number => (axis < 0 ? axis + rank : axis);
export const range = (length: number, from = 0): number[] => Array.from({ length }, (_, i) => from + i);

export class KernelContext {
  readonly tf: TF;

  constructor(tf: TF) {
    this.tf = tf;
  }

  /** A tensor of real numbers; host arrays are uploaded. */
  up(value: Value | undefined): Tensor {
    if (onHost(value)) return this.tf.tensor([...value.data], [...value.dims], 'float32');
    return must(value);
  }

  /** Integers or booleans. Throws Unsupported for real numbers. */
  integers(value: Value | undefined): HostArray {
    if (onHost(value)) return value;
    throw new Unsupported('real numbers where integers are expected');
  }

  /** The values of a function's argument at which it is flat wherever it has a derivative: its gradient is zero. */
  flat(value: Value | undefined): HostArray {
    if (onHost(value)) return value;
    const tensor = must(value);
    return { dims: tensor.shape, data: Array.from(tensor.dataSync()) };
  }

  /** The values of a parameter. Throws Unsupported where it depends on what is differentiated by: its gradient would be lost. */
  parameter({ inputs, depends }: Call, i: number): HostArray | undefined {
    if (inputs[i] === undefined) return undefined;
    if (depends[i]) throw new Unsupported(`its input ${i} depends on what is differentiated by`);
    return this.flat(inputs[i]);
  }

  /** 1 where a flag is not 0, else 0: a tensor, constant to the tape. */
  indicator(flags: HostArray): Tensor {
    return this.up(host.map(flags, (flag) => Number(flag !== 0)));
  }

  /** `yes` where a flag is not 0, else `no`; all three of one shape. */
  choose(flags: HostArray, yes: Tensor, no: Tensor): Tensor {
    return this.tf.where(this.tf.tensor([...flags.data], [...flags.dims], 'bool'), yes, no);
  }

  /** Where a condition on x holds. */
  test(x: Tensor, condition: (value: number) => boolean): HostArray {
    return host.map(this.flat(x), (value) => Number(condition(value)));
  }

  /** Elements of x at row-major positions, in the shape `dims`. */
  take(x: Tensor, positions: readonly number[], dims: readonly number[]): Tensor {
    const { tf } = this;
    const at = tf.tensor1d([...positions], 'int32');
    return tf.reshape(tf.gather(tf.reshape(x, [x.size]), at), [...dims]);
  }

  /** x broadcast to a shape. */
  wide(x: Tensor, dims: readonly number[]): Tensor {
    const same = x.rank === dims.length && dims.every((d, i) => d === x.shape[i]);
    return same ? x : this.tf.mul(x, this.tf.ones([...dims]));
  }

  /** Tensors of one shape along a new axis. */
  stack(parts: readonly Tensor[], axis: number): Tensor {
    return this.tf.concat(
      parts.map((part) => this.tf.reshape(part, part.shape.toSpliced(axis, 0, 1))),
      axis,
    );
  }

  /** start:end along one axis. */
  slice(x: Tensor, axis: number, start: number, end: number): Tensor {
    return this.tf.slice(
      x,
      x.shape.map((_, i) => (i === axis ? start : 0)),
      x.shape.map((d, i) => (i === axis ? end - start : d)),
    );
  }

  /** Rank above 2 times a matrix is one flat product: wasm runs it much faster than the batched one. */
  matMul(a: Tensor, b: Tensor): Tensor {
    const { tf } = this;
    if (b.rank === 2 && a.rank > 2) {
      const rows = tf.reshape(a, [-1, must(a.shape.at(-1))]);
      return tf.reshape(tf.matMul(rows, b as never), [...a.shape.slice(0, -1), must(b.shape[1])]);
    }
    const lead = host.broadcastDims(a.shape.slice(0, -2), b.shape.slice(0, -2));
    const count = (x: Tensor): number => host.sizeOf(x.shape.slice(0, -2));
    // TF.js counts batches and looks no further: [2, 1] and [1, 2] would pass for equal.
    const plain =
      count(a) === 1 || count(b) === 1 || (count(a) === host.sizeOf(lead) && count(b) === host.sizeOf(lead));
    const widen = (x: Tensor): Tensor =>
      plain
        ? tf.reshape(x, [...new Array(lead.length - x.rank + 2).fill(1), ...x.shape])
        : this.wide(x, [...lead, ...x.shape.slice(-2)]);
    return tf.matMul(widen(a), widen(b));
  }

  /** An op on one tensor. */
  unary(f: (x: Tensor, node: Node) => Tensor): Op {
    return ({ node, inputs: [x] }) => [f(this.up(x), node)];
  }

  /** An op on two tensors. */
  binary(f: (a: Tensor, b: Tensor) => Tensor): Op {
    return ({ inputs: [a, b] }) => [f(this.up(a), this.up(b))];
  }

  /** The same of any number of operands, from the left. */
  variadic(f: (a: Tensor, b: Tensor) => Tensor): Op {
    return ({ inputs }) => [inputs.map((x) => this.up(x)).reduce((a, b) => f(a, b))];
  }
}
