/**
 * @file Tensor algebra that writes ONNX nodes: `g.mul(a, b)` appends a Mul and returns its output's name. Equal expressions are
 * written once, so that a formula may repeat what it needs and read like the paper's.
 */
import { type AttributeValue, float, GraphBuilder, type OpOptions } from '../../onnx/builder.js';
import { DataType } from '../../onnx/data-type.js';
import type { Model } from '../../onnx/model.js';

export type Attributes = Readonly<Record<string, AttributeValue>>;

/** Reductions of a number times a tensor that are the number times the reduction. */
const LINEAR_REDUCTIONS: ReadonlySet<string> = new Set(['ReduceSum', 'ReduceMean']);

/** "To the end", as Slice takes it: onnxruntime clamps it to the dimension. */
const END = 2 ** 31 - 1;

/** factor x */
interface Scaled {
  readonly x: string;
  readonly factor: number;
}

export class Algebra {
  /** The ai.onnx opset of the graph; it decides where some operators take their axes. */
  readonly opset: number;
  readonly builder: GraphBuilder;
  readonly #written = new Map<string, string[]>();
  /** Product -> its factors, themselves no products. */
  readonly #factors = new Map<string, readonly string[]>();
  /** What is a number times another tensor: the number waits until a matrix product takes it along at no cost. */
  readonly #scaled = new Map<string, Scaled>();

  constructor(base: Model) {
    this.builder = new GraphBuilder({ base });
    this.opset = this.builder.opset;
  }

  /** Appends a node of one output, or finds the equal one. */
  op(op: string, inputs: readonly string[], attributes: Attributes = {}, domain = ''): string {
    return this.ops(op, inputs, 1, attributes, domain)[0]!;
  }

  /** Appends a node of several outputs, or finds the equal one. Nodes with subgraphs are never merged. */
  ops(op: string, inputs: readonly string[], outputs: number, attributes: Attributes = {}, domain = ''): string[] {
    const options: OpOptions = { attributes, domain, outputs };
    if (
      Object.values(attributes).some((value) => typeof value === 'object' && 'kind' in value && value.kind === 'graph')
    ) {
      return this.builder.ops(op, inputs, options);
    }
    const key = JSON.stringify([op, domain, inputs, outputs, attributes]);
    let names = this.#written.get(key);
    if (names === undefined) {
      names = this.builder.ops(op, inputs, options);
      this.#written.set(key, names);
    }
    return names;
  }

  /** A single-precision scalar. */
  float(value: number): string {
    return this.builder.float(value);
  }

  /** A vector of int64. */
  ints(values: readonly number[]): string {
    return this.builder.ints(values);
  }

  /** An int64 scalar. */
  int(value: number): string {
    return this.builder.int(value);
  }

  add(a: string, b: string): string {
    return this.op('Add', [a, b]);
  }
  sub(a: string, b: string): string {
    return this.op('Sub', [a, b]);
  }
  mul(a: string, b: string): string {
    const product = this.op('Mul', [a, b]);
    this.#factors.set(product, [...this.#factorsOf(a), ...this.#factorsOf(b)]);
    return product;
  }

  /** a + b with common factors drawn out: dy c s + dy c u e is dy c (s + u e), fewer passes over memory. */
  total(a: string, b: string): string {
    const left = [...this.#factorsOf(a)];
    const right = [...this.#factorsOf(b)];
    const common: string[] = [];
    for (const factor of this.#factorsOf(a)) {
      if (left.length < 2 || right.length < 2 || !right.includes(factor)) continue;
      left.splice(left.indexOf(factor), 1);
      right.splice(right.indexOf(factor), 1);
      common.push(factor);
    }
    if (common.length === 0) return this.add(a, b);
    const product = (factors: readonly string[]) => factors.reduce((x, y) => this.mul(x, y));
    return this.mul(product(common), this.add(product(left), product(right)));
  }

  #factorsOf(x: string): readonly string[] {
    return this.#factors.get(x) ?? [x];
  }
  div(a: string, b: string): string {
    return this.op('Div', [a, b]);
  }
  neg(a: string): string {
    return this.op('Neg', [a]);
  }
  square(a: string): string {
    return this.mul(a, a);
  }
  exp(a: string): string {
    return this.op('Exp', [a]);
  }
  scale(a: string, factor: number): string {
    const { x, factor: before } = this.#unscaled(a);
    const product = before * factor;
    if (product === 1) return x;
    const y = this.mul(x, this.float(product));
    this.#scaled.set(y, { x, factor: product });
    return y;
  }
  /** Says that a tensor of the graph is a number times another. */
  protected knowScaled(y: string, x: string, factor: number): void {
    const inner = this.#unscaled(x);
    if (inner.factor * factor === 1) return;
    this.#scaled.set(y, { x: inner.x, factor: inner.factor * factor });
  }
  #unscaled(a: string): Scaled {
    return this.#scaled.get(a) ?? { x: a, factor: 1 };
  }
  /** A linear function of a tensor, its factor drawn out. */
  #linear(a: string, write: (x: string) => string): string {
    const { x, factor } = this.#unscaled(a);
    return this.scale(write(x), factor);
  }
  plus(a: string, term: number): string {
    return term === 0 ? a : this.add(a, this.float(term));
  }
  /** 1 - a. */
  complement(a: string): string {
    return this.sub(this.float(1), a);
  }
  where(condition: string, yes: string, no: string): string {
    return this.op('Where', [condition, yes, no]);
  }
  /** `value` where the condition holds, else 0. */
  keep(condition: string, value: string): string {
    return this.where(condition, value, this.float(0));
  }
  /** 1 where a boolean holds, else 0. */
  indicator(condition: string): string {
    return this.op('Cast', [condition], { to: DataType.float });
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
    if (LINEAR_REDUCTIONS.has(op) && this.#scaled.has(x))
      return this.#linear(x, (unscaled) => this.reduce(op, unscaled, axes, keepdims));
    const keep = { keepdims: keepdims ? 1 : 0 };
    const asInput = this.opset >= (op === 'ReduceSum' ? 13 : 18);
    return asInput ? this.op(op, [x, this.ints(axes)], keep) : this.op(op, [x], { axes, ...keep });
  }

  unsqueeze(x: string, axes: readonly number[]): string {
    if (axes.length === 0) return x;
    return this.opset >= 13 ? this.op('Unsqueeze', [x, this.ints(axes)]) : this.op('Unsqueeze', [x], { axes });
  }
  squeeze(x: string, axes: readonly number[]): string {
    if (axes.length === 0) return x;
    return this.opset >= 13 ? this.op('Squeeze', [x, this.ints(axes)]) : this.op('Squeeze', [x], { axes });
  }
  transpose(x: string, perm: readonly number[]): string {
    if (perm.every((axis, i) => axis === i)) return x;
    return this.#linear(x, (unscaled) => this.op('Transpose', [unscaled], { perm }));
  }
  reshape(x: string, shape: readonly number[] | string): string {
    const sizes = typeof shape === 'string' ? shape : this.ints(shape);
    return this.#linear(x, (unscaled) => this.op('Reshape', [unscaled, sizes]));
  }
  expand(x: string, shape: string): string {
    return this.op('Expand', [x, shape]);
  }
  concat(parts: readonly string[], axis: number): string {
    return parts.length === 1 ? parts[0]! : this.op('Concat', parts, { axis });
  }
  /** x[start:end:step] along one axis. */
  slice(x: string, axis: number, start: number, end: number = END, step = 1): string {
    return this.op('Slice', [x, this.ints([start]), this.ints([end]), this.ints([axis]), this.ints([step])]);
  }
  /** x[index] along one axis, which goes. */
  at(x: string, axis: number, index: number): string {
    return this.op('Gather', [x, this.int(index)], { axis });
  }
  shape(x: string): string {
    return this.op('Shape', [x]);
  }
  /** A tensor's size along one axis, as a vector of one int64. */
  size(x: string, axis: number): string {
    return this.op('Gather', [this.shape(x), this.ints([axis])]);
  }

  matmul(a: string, b: string): string {
    return this.op('MatMul', [a, b]);
  }
  /** Matrix products with either operand's last two axes swapped, without moving memory (an operator of onnxruntime). */
  fusedMatmul(a: string, b: string, transA: boolean, transB: boolean): string {
    const [left, right] = [this.#unscaled(a), this.#unscaled(b)];
    const alpha = left.factor * right.factor;
    if (!transA && !transB && alpha === 1) return this.matmul(a, b);
    const attributes = { transA: Number(transA), transB: Number(transB), ...(alpha !== 1 && { alpha: float(alpha) }) };
    return this.op('FusedMatMul', [left.x, right.x], attributes, 'com.microsoft');
  }
  /** alpha op(a) op(b) of matrices, where op may transpose. */
  gemm(a: string, b: string, transA: boolean, transB: boolean, alpha = 1): string {
    const [left, right] = [this.#unscaled(a), this.#unscaled(b)];
    const whole = alpha * left.factor * right.factor;
    const attributes = { transA: Number(transA), transB: Number(transB), ...(whole !== 1 && { alpha: float(whole) }) };
    return this.op('Gemm', [left.x, right.x], attributes);
  }
  /** Softmax over the last axis. */
  softmax(x: string): string {
    // Below opset 13 the default axis is 1, and -1 means the same as here.
    return this.op('Softmax', [x], { axis: -1 });
  }
  /** Phi(x), the standard normal distribution function. */
  normalCdf(x: string): string {
    return this.scale(this.plus(this.op('Erf', [this.scale(x, Math.SQRT1_2)]), 1), 0.5);
  }
  /** The slope of max(0, min(1, alpha x + beta)), given its value: `alpha` where 0 < y < 1, else 0. */
  hardSigmoidSlope(y: string, alpha: number): string {
    return this.scale(this.op('Sign', [this.mul(y, this.complement(y))]), alpha);
  }
}
