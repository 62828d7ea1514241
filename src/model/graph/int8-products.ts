/**
 * @file The products of a graph in 8 bits. Each product of the texts' tokens with constant weights is computed as whole numbers. Weights
 * have a scale per column, activations a scale per row (row-quantiser.ts), so that a text's answer does not depend on the others in its
 * batch. The error of a product is 1 to 2 % of its largest value. Everything else (LayerNorm, softmax, attention's products, the head)
 * stays in single precision.
 *
 * The answers approximate the model's. They are for searches, whose successes the model itself confirms.
 */
import { attributesOf } from '../../../packages/onnx/src/graph/attributes.js';
import { GraphBuilder } from '../../../packages/onnx/src/graph/builder.js';
import { DataType } from '../../../packages/onnx/src/graph/data-type.js';
import { prune } from '../../../packages/onnx/src/graph/edit.js';
import { feeds, type Graph, type Model, type Node, opsetOf } from '../../../packages/onnx/src/graph/model.js';
import { operatorOf } from '../../../packages/onnx/src/graph/operators/index.js';
import type { SymbolicShapes } from '../../../packages/onnx/src/graph/symbolic-shape.js';
import { symbolicShapes } from '../../../packages/onnx/src/graph/symbolic-shapes.js';
import type { Tensor } from '../../../packages/onnx/src/graph/tensor.js';
import { type ConstantTensors, constantTensors } from './constant-tensors.js';
import { LEAST_OPSET, type RowProduct, RowQuantiser } from './row-quantiser.js';
import { TEXTS_AND_TOKENS, textShape } from './text-shape.js';

/** Weights of fewer elements gain less than what quantising their input costs (bench/int8.ts). */
const LEAST_WEIGHTS = 2 ** 14;

/** Largest magnitudes of a stored weight. */
export const WEIGHT_BITS = {
  8: 127,
  /** For processors that add pairs of products in 16 bits and cut what does not fit: 2 * 255 * 64 does. */
  7: 64,
} as const;
export type WeightBits = keyof typeof WEIGHT_BITS;

export interface Int8Model {
  readonly model: Model;
  /** Products computed in 8 bits. */
  readonly products: number;
}

/** The model with its large products in 8 bits; undefined where it has none. Inputs and outputs keep their names and shapes. */
export function withInt8Products(model: Model, bits: WeightBits): Int8Model | undefined {
  const { graph } = model;
  if (opsetOf(model) < LEAST_OPSET) return undefined;
  const [constants, shapes] = [constantTensors(graph), textShapes(graph)];
  const g = new GraphBuilder({ base: model });
  const products = new RowQuantiser(g);
  let count = 0;
  const nodes = graph.nodes.flatMap((each) => {
    const product = productOf(each, constants, shapes);
    if (product === undefined) return [each];
    count++;
    return products.nodes(quantisedProduct(g, product, bits));
  });
  if (count === 0) return undefined;
  const whole = g.model();
  return {
    model: { ...whole, graph: { ...prune({ ...whole.graph, nodes, valueInfos: [] }), inputs: whole.graph.inputs } },
    products: count,
  };
}

const textShapes = (graph: Graph): SymbolicShapes =>
  symbolicShapes(graph, new Map(feeds(graph).map(({ name, dims }) => [name, textShape(dims)])));

/** rows x weights + bias. */
interface Product {
  readonly rows: string;
  /** [k, n]. */
  readonly weights: Tensor;
  /** The weights are stored as [n, k]. */
  readonly transposed: boolean;
  readonly bias: string;
  readonly output: string;
}

/** A product worth computing in 8 bits. */
function productOf(each: Node, constants: ConstantTensors, shapes: SymbolicShapes): Product | undefined {
  const { op, inputs, outputs } = each;
  const [rows = '', second = '', bias = ''] = inputs;
  if (operatorOf(each)?.linear !== true || (op !== 'MatMul' && op !== 'Gemm')) return undefined;
  const value = attributesOf(each);
  const plain =
    op === 'MatMul' ||
    (value.int('transA', 0) === 0 && value.float('alpha', 1) === 1 && (bias === '' || value.float('beta', 1) === 1));
  const weights = constants.floats(second);
  if (!plain || weights === undefined || weights.dims.length !== 2 || weights.size < LEAST_WEIGHTS) return undefined;
  // The product of a single token of each text: fewer products than the search for their scales is worth, and closest to the answer.
  const shape = shapes.shape(rows);
  const few = shape?.every((size, axis) => axis === shape.length - 1 || size === 1 || size === TEXTS_AND_TOKENS[0]);
  if (constants.has(rows) || few) return undefined;
  const transposed = op === 'Gemm' && value.int('transB', 0) === 1;
  return { rows, weights, transposed, bias: op === 'Gemm' ? bias : '', output: outputs[0]! };
}

/** The product with its weights in 8 bits. */
function quantisedProduct(
  g: GraphBuilder,
  { rows, weights, transposed, bias, output }: Product,
  bits: WeightBits,
): RowProduct {
  const [k, n] = (transposed ? weights.dims.toReversed() : weights.dims) as [number, number];
  const { values, scales } = quantisedColumns(weights, transposed, WEIGHT_BITS[bits]);
  const name = `${output}/int8`;
  return {
    rows,
    k,
    weights: g.initializer(`${name}/weights`, [k, n], values, DataType.int8),
    scales: g.initializer(`${name}/scales`, [n], scales),
    bias,
    output,
  };
}

/** [k, n] in 8 bits, each column with the scale that its largest magnitude fills. */
function quantisedColumns(
  weights: Tensor,
  transposed: boolean,
  most: number,
): { readonly values: Int8Array; readonly scales: Float32Array } {
  const given = weights.floats();
  const [k, n] = (transposed ? weights.dims.toReversed() : weights.dims) as [number, number];
  const [row, column] = transposed ? [1, k] : [n, 1];
  const scales = new Float32Array(n);
  for (let i = 0; i < k; i++) {
    for (let j = 0; j < n; j++) {
      const magnitude = Math.abs(given[i * row + j * column]!);
      if (magnitude > scales[j]!) scales[j] = magnitude;
    }
  }
  const steps = scales.map((largest) => (largest === 0 ? 0 : most / largest));
  const values = new Int8Array(k * n);
  for (let i = 0; i < k; i++) {
    for (let j = 0; j < n; j++) values[i * n + j] = Math.round(given[i * row + j * column]! * steps[j]!);
  }
  return { values, scales: scales.map((largest) => largest / most) };
}
