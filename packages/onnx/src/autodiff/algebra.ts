/**
 * @file Tensor algebra that writes ONNX nodes: `g.mul(a, b)` appends a Mul and returns its output's name. Equal expressions are
 * written once, so that a formula may repeat what it needs and read like the paper's.
 */
import { getOrCompute } from '../get-or-compute.js';
import { float, GraphBuilder } from '../graph/builder.js';
import type { Model } from '../graph/model.js';
import type { Attributes } from '../graph/node-writer.js';

/** Reductions of a number times a tensor that are the number times the reduction. */
const LINEAR_REDUCTIONS: ReadonlySet<string> = new Set(['ReduceSum', 'ReduceMean']);

/** factor x */
interface Scaled {
  readonly x: string;
  readonly factor: number;
}

export class Algebra extends GraphBuilder {
  readonly #written = new Map<string, string[]>();
  /** Product -> its factors, themselves no products. */
  readonly #factors = new Map<string, readonly string[]>();
  /** Tensors that are a number times another: the number waits until a matrix product takes it along at no cost. */
  readonly #scaled = new Map<string, Scaled>();

  constructor(base: Model) {
    super({ base });
  }

  /** Appends a node, or finds the equal one. Nodes with subgraphs are never merged. */
  override ops(
    op: string,
    inputs: readonly string[],
    outputs: number | readonly string[],
    attributes: Attributes = {},
    domain = '',
  ): string[] {
    const hasGraph = Object.values(attributes).some(
      (value) => typeof value === 'object' && 'kind' in value && value.kind === 'graph',
    );
    if (hasGraph) return super.ops(op, inputs, outputs, attributes, domain);
    const key = JSON.stringify([op, domain, inputs, outputs, attributes]);
    return getOrCompute(this.#written, key, () => super.ops(op, inputs, outputs, attributes, domain));
  }

  override mul(a: string, b: string): string {
    const product = super.mul(a, b);
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
  square(a: string): string {
    return this.mul(a, a);
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
  /** `value` where the condition holds, else 0. */
  keep(condition: string, value: string): string {
    return this.where(condition, value, this.float(0));
  }
  override reduce(op: string, x: string, axes: readonly number[], keepdims = true): string {
    if (axes.length > 0 && LINEAR_REDUCTIONS.has(op) && this.#scaled.has(x))
      return this.#linear(x, (unscaled) => super.reduce(op, unscaled, axes, keepdims));
    return super.reduce(op, x, axes, keepdims);
  }
  override transpose(x: string, perm: readonly number[]): string {
    if (perm.every((axis, i) => axis === i)) return x;
    return this.#linear(x, (unscaled) => super.transpose(unscaled, perm));
  }
  override reshape(x: string, shape: readonly number[] | string): string {
    return this.#linear(x, (unscaled) => super.reshape(unscaled, shape));
  }

  /** Matrix products with either operand's last two axes swapped, without moving memory (an operator of onnxruntime). */
  fusedMatmul(a: string, b: string, transA: boolean, transB: boolean): string {
    const [left, right] = [this.#unscaled(a), this.#unscaled(b)];
    const alpha = left.factor * right.factor;
    if (!transA && !transB && alpha === 1) return this.matmul(a, b);
    const attributes = { transA: Number(transA), transB: Number(transB), alpha: float(alpha) };
    return this.op('FusedMatMul', [left.x, right.x], attributes, 'com.microsoft');
  }
  /** alpha op(a) op(b) of matrices, where op may transpose. */
  gemm(a: string, b: string, transA: boolean, transB: boolean, alpha = 1): string {
    const [left, right] = [this.#unscaled(a), this.#unscaled(b)];
    const whole = alpha * left.factor * right.factor;
    return this.op('Gemm', [left.x, right.x], { transA: Number(transA), transB: Number(transB), alpha: float(whole) });
  }
  /** The slope of max(0, min(1, alpha x + beta)), given its value: `alpha` where 0 < y < 1, else 0. */
  hardSigmoidSlope(y: string, alpha: number): string {
    return this.scale(this.op('Sign', [this.mul(y, this.complement(y))]), alpha);
  }
}
