/**
 * @file The single-precision surrogate of a quantised model. Rounding has no useful derivative (it is flat, then jumps), so
 * gradients are those of the graph that computes the same without rounding and saturation: the straight-through estimator
 * (Bengio et al. 2013, section 5). Weights are the ones stored: (q - zero) * scale.
 */
import { must } from '../../errors.js';
import { attributesOf } from '../../graph/attributes.js';
import { DataType } from '../../graph/data-type.js';
import { type Model, type Node, node as newNode } from '../../graph/model.js';
import { type OperatorName, operatorOf } from '../../graph/operators/index.js';
import { Tensor } from '../../graph/tensor.js';
import { Algebra } from '../algebra.js';
import { unsupportedAttribute } from '../unsupported.js';

/** Writes a quantised operator's surrogate; returns its outputs. */
type Surrogate = (at: Quantised, node: Node) => readonly string[];

export function dequantise(model: Model): Model {
  if (!model.graph.nodes.some((node) => surrogateOf(node) !== undefined)) return model;
  const at = new Quantised(model);
  const nodes: Node[] = [];
  for (const node of model.graph.nodes) {
    const surrogate = surrogateOf(node);
    if (surrogate === undefined) {
      nodes.push(node);
      // Reshaping or picking from numbers that are no longer quantised gives such numbers.
      if (node.inputs.some((name) => at.real.has(name))) for (const name of node.outputs) at.real.add(name);
      continue;
    }
    const outputs = surrogate(at, node);
    nodes.push(...at.g.take());
    node.outputs.forEach((name, i) => {
      if (name === '') return;
      at.real.add(name);
      nodes.push(newNode('Identity', [must(outputs[i])], name));
    });
  }
  const built = at.g.model();
  return { ...built, graph: { ...built.graph, nodes } };
}

/**
 * The surrogate of a quantised operator. An operator with unsupported attributes or states stays as it is, and is refused by name later.
 */
function surrogateOf(node: Node): Surrogate | undefined {
  if (operatorOf(node)?.gradient !== 'surrogate') return undefined;
  const past = node.op === 'QAttention' && Boolean(node.inputs[8]);
  return past || unsupportedAttribute(node) !== undefined ? undefined : SURROGATES[node.op];
}

class Quantised {
  readonly g: Algebra;
  /** Tensors that hold real numbers where the original holds quantised ones. */
  readonly real = new Set<string>();
  readonly #model: Model;
  readonly #gathers: ReadonlyMap<string, Node>;

  constructor(model: Model) {
    this.g = new Algebra(model);
    this.#model = model;
    this.#gathers = new Map(
      model.graph.nodes.filter(({ op }) => op === 'Gather').map((node) => [must(node.outputs[0]), node]),
    );
  }

  /** (q - zero) * scale; what is real already stays. A stored weight becomes a stored float weight. */
  value(q: string, scale: string, zero: string | undefined, axis = -1): string {
    if (this.real.has(q)) return q;
    const { initializers } = this.#model.graph;
    const stored = initializers.get(q);
    const scales = initializers.get(scale);
    if (stored !== undefined && scales !== undefined) {
      const zeros = zero ? initializers.get(zero) : undefined;
      return this.weight(`${q} dequantised`, stored, scales.floats(), zeros?.integers(), axis);
    }
    // Rows looked up in a quantised table: look them up in the dequantised one.
    const gather = this.#gathers.get(q);
    const table = gather && initializers.get(must(gather.inputs[0]));
    if (gather !== undefined && table !== undefined) {
      const rows = this.value(table.name, scale, zero, axis);
      return this.g.op('Gather', [rows, must(gather.inputs[1])], { axis: attributesOf(gather).int('axis', 0) });
    }
    return this.g.mul(this.difference(q, zero), scale);
  }

  /** q - zero as real numbers, for products whose scale is applied later. */
  difference(q: string, zero: string | undefined): string {
    if (this.real.has(q)) return q;
    const stored = this.#model.graph.initializers.get(q);
    const zeros = zero ? this.#model.graph.initializers.get(zero) : undefined;
    if (stored !== undefined) return this.weight(`${q} unscaled`, stored, Float32Array.of(1), zeros?.integers(), -1);
    const cast = (name: string) => this.g.cast(name, DataType.float);
    return zero ? this.g.sub(cast(q), cast(zero)) : cast(q);
  }

  /** A float initializer of the dequantised values; scale and zero may differ along `axis`. */
  weight(
    name: string,
    stored: Tensor,
    scales: Float32Array,
    zeros: readonly number[] | undefined,
    axis: number,
  ): string {
    const { dims, data } = stored;
    const along = axis < 0 ? axis + dims.length : axis;
    const inner = dims.slice(along + 1).reduce((product, d) => product * d, 1);
    const values = Float32Array.from(data as Uint8Array, (q, i) => {
      const channel = Math.floor(i / inner) % (dims[along] ?? 1);
      const scale = scales.length === 1 ? scales[0] : scales[channel];
      const zero = zeros === undefined ? 0 : zeros.length === 1 ? zeros[0] : zeros[channel];
      return (q - must(zero)) * must(scale);
    });
    return this.g.shared(Tensor.of(name, dims, values));
  }
}

/** Quantised operator -> the real one. Inputs are named as in the operators' specifications. */
const surrogates: Readonly<
  Record<OperatorName<'', 'surrogate'> | OperatorName<'com.microsoft', 'surrogate'>, Surrogate>
> = {
  /** x -> q, scale, zero: q stands for x itself, so its scale is 1 and its zero 0. */
  DynamicQuantizeLinear: ({ g }, { inputs: [x = ''] }) => [x, g.float(1), g.float(0)],
  QuantizeLinear: (_, { inputs: [x = ''] }) => [x],
  DequantizeLinear: (at, node) => {
    const [q, scale, zero] = node.inputs as [string, string, string?];
    return [at.value(q, scale, zero, attributesOf(node).int('axis', 1))];
  },
  MatMulInteger: (at, { inputs: [a = '', b = '', aZero, bZero] }) => [
    at.g.matmul(at.difference(a, aZero), at.difference(b, bZero)),
  ],
  ConvInteger: (at, node) => {
    const [x, w, xZero, wZero] = node.inputs as [string, string, string?, string?];
    const attributes = Object.fromEntries(node.attributes);
    return [at.g.op('Conv', [at.difference(x, xZero), at.difference(w, wZero)], attributes)];
  },
  DynamicQuantizeMatMul: (at, { inputs: [a = '', b = '', bScale = '', bZero, bias] }) => {
    const product = at.g.matmul(a, at.value(b, bScale, bZero));
    return [bias ? at.g.add(product, bias) : product];
  },
  MatMulIntegerToFloat: (at, { inputs: [a = '', b = '', aScale = '', bScale = '', aZero, bZero, bias] }) => {
    const product = at.g.matmul(at.value(a, aScale, aZero), at.value(b, bScale, bZero));
    return [bias ? at.g.add(product, bias) : product];
  },
  QLinearMatMul: (at, { inputs: [a = '', aScale = '', aZero, b = '', bScale = '', bZero] }) => [
    at.g.matmul(at.value(a, aScale, aZero), at.value(b, bScale, bZero)),
  ],
  QAttention: (at, node) => {
    const [x = '', w = '', bias = '', xScale = '', wScale = '', mask, xZero, wZero] = node.inputs as string[];
    const inputs = [at.value(x, xScale, xZero), at.value(w, wScale, wZero), bias, mask ?? ''];
    return [at.g.op('Attention', inputs, Object.fromEntries(node.attributes), 'com.microsoft')];
  },
};

const SURROGATES: Readonly<Record<string, Surrogate>> = surrogates;
