/** @file Operators as methods: `g.add(a, b)` appends an Add and returns its output's name. What depends on the opset is decided here. */
import { must } from '../errors.js';
import { DataType } from './data-type.js';
import type { Attribute } from './model.js';
import type { Tensor } from './tensor.js';

/** An attribute as one writes it: a plain number is an integer; `float(2)` says otherwise. */
export type AttributeValue = number | string | readonly number[] | Tensor | Attribute;

export type Attributes = Readonly<Record<string, AttributeValue>>;

/** "To the end", as Slice takes it: onnxruntime clamps it to the dimension. */
const END = 2 ** 31 - 1;

export abstract class NodeWriter {
  /** The ai.onnx opset of the graph. */
  abstract readonly opset: number;

  /**
   * Appends a node and returns the names of its outputs. `outputs`: their names, or how many to name; an empty name leaves an optional
   * output out. `domain`: empty for ai.onnx.
   */
  abstract ops(
    op: string,
    inputs: readonly string[],
    outputs: number | readonly string[],
    attributes?: Attributes,
    domain?: string,
  ): string[];
  /** A constant single-precision scalar. */
  abstract float(value: number): string;
  /** A constant vector of 64-bit integers. */
  abstract ints(values: readonly number[]): string;
  /** A constant 64-bit integer scalar. */
  abstract int(value: number): string;

  /** Appends a node of one output. */
  op(op: string, inputs: readonly string[], attributes: Attributes = {}, domain = ''): string {
    return must(this.ops(op, inputs, 1, attributes, domain)[0]);
  }

  add(a: string, b: string): string {
    return this.op('Add', [a, b]);
  }
  sub(a: string, b: string): string {
    return this.op('Sub', [a, b]);
  }
  mul(a: string, b: string): string {
    return this.op('Mul', [a, b]);
  }
  div(a: string, b: string): string {
    return this.op('Div', [a, b]);
  }
  neg(a: string): string {
    return this.op('Neg', [a]);
  }
  exp(a: string): string {
    return this.op('Exp', [a]);
  }
  where(condition: string, yes: string, no: string): string {
    return this.op('Where', [condition, yes, no]);
  }
  /** `to`: an element type of DataType. */
  cast(x: string, to: number): string {
    return this.op('Cast', [x], { to });
  }
  /** 1 where a boolean holds, else 0, in single precision. */
  indicator(condition: string): string {
    return this.cast(condition, DataType.float);
  }
  matmul(a: string, b: string): string {
    return this.op('MatMul', [a, b]);
  }
  /** Softmax over the last axis. */
  softmax(x: string): string {
    // Below opset 13 the default axis is 1, and -1 means the same as here.
    return this.op('Softmax', [x], { axis: -1 });
  }

  sum(x: string, axes: readonly number[], keepdims = true): string {
    return this.reduce('ReduceSum', x, axes, keepdims);
  }
  mean(x: string, axes: readonly number[], keepdims = true): string {
    return this.reduce('ReduceMean', x, axes, keepdims);
  }
  /** A reduction over given axes; they became an input of ReduceSum at opset 13, of the others at 18. */
  reduce(op: string, x: string, axes: readonly number[], keepdims = true): string {
    if (axes.length === 0) return x;
    const keep = { keepdims: Number(keepdims) };
    const asInput = this.opset >= (op === 'ReduceSum' ? 13 : 18);
    return asInput ? this.op(op, [x, this.ints(axes)], keep) : this.op(op, [x], { axes, ...keep });
  }

  unsqueeze(x: string, axes: readonly number[]): string {
    return this.#alongAxes('Unsqueeze', x, axes);
  }
  squeeze(x: string, axes: readonly number[]): string {
    return this.#alongAxes('Squeeze', x, axes);
  }
  /** The axes became an input at opset 13. */
  #alongAxes(op: 'Squeeze' | 'Unsqueeze', x: string, axes: readonly number[]): string {
    if (axes.length === 0) return x;
    return this.opset >= 13 ? this.op(op, [x, this.ints(axes)]) : this.op(op, [x], { axes });
  }

  transpose(x: string, perm: readonly number[]): string {
    return this.op('Transpose', [x], { perm });
  }
  /** `shape`: sizes, or the tensor that holds them. */
  reshape(x: string, shape: readonly number[] | string): string {
    return this.op('Reshape', [x, typeof shape === 'string' ? shape : this.ints(shape)]);
  }
  expand(x: string, shape: string): string {
    return this.op('Expand', [x, shape]);
  }
  concat(parts: readonly string[], axis: number): string {
    return parts.length === 1 ? must(parts[0]) : this.op('Concat', parts, { axis });
  }
  /** Parts of these sizes along an axis. */
  split<const S extends readonly number[]>(x: string, sizes: S, axis: number): { -readonly [K in keyof S]: string } {
    const parts =
      this.opset >= 13
        ? this.ops('Split', [x, this.ints(sizes)], sizes.length, { axis })
        : this.ops('Split', [x], sizes.length, { axis, split: sizes });
    return parts as { -readonly [K in keyof S]: string };
  }
  /** x[start:end:step] along one axis. */
  slice(x: string, axis: number, start: number, end: number = END, step = 1): string {
    return this.op('Slice', [x, this.ints([start]), this.ints([end]), this.ints([axis]), this.ints([step])]);
  }
  /** x[index] along one axis, which goes. */
  at(x: string, axis: number, index: number): string {
    return this.op('Gather', [x, this.int(index)], { axis });
  }
  /** Rows of a table. */
  gather(table: string, indices: string): string {
    return this.op('Gather', [table, indices]);
  }
  shape(x: string): string {
    return this.op('Shape', [x]);
  }
  /** A tensor's size along one axis, as a vector of one int64. */
  size(x: string, axis: number): string {
    return this.gather(this.shape(x), this.ints([axis]));
  }
}
