/**
 * @file The products of a graph in 8 bits. Each product of the texts' tokens with constant weights is computed as whole numbers: weights
 * with a scale per column, activations with a scale per row, so that a text's answer does not depend on the others in its batch. A row x is
 * stored as round(127 x / max |x|) + 128; the integer product times the column's and the row's scale is then the product to within one or
 * two in a hundred of its largest value. Everything else (LayerNorm, softmax, attention's products, the head) stays in single precision.
 *
 * The answers are those of another function, close to the model's: for searches, whose finds the model itself confirms.
 */
import { attributesOf } from './attributes.js';
import { GraphBuilder } from './builder.js';
import { type ConstantTensors, constantTensors } from './constant-tensors.js';
import { DataType } from './data-type.js';
import { prune } from './edit.js';
import { feeds, type Model, type Node, node, opsetOf } from './model.js';
import { KNOWN_DOMAINS, type SymbolicShapes, symbolicShapes } from './symbolic-shapes.js';
import { Tensor } from './tensor.js';
import { TEXTS_AND_TOKENS, textShape } from './text-shape.js';

/** Weights of fewer elements gain less than what quantising their input costs (bench/int8.ts). */
const LEAST_WEIGHTS = 2 ** 14;

/** An activation's row is divided by its largest magnitude and stored around this zero point: 127 steps to each side. */
const STEPS = 127;
const ZERO_POINT = 128;
/** Rows of zeros are divided by this. */
const LEAST_MAGNITUDE = 1e-9;

/** Below, ConstantOfShape and broadcasting Max are missing. */
const LEAST_OPSET = 9;
/** From here on ReduceMax and ReduceMin take their axes as an input. */
const AXES_INPUT_OPSET = 18;

const MICROSOFT = 'com.microsoft';

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
  const shapes = symbolicShapes(graph, new Map(feeds(graph).map(({ name, dims }) => [name, textShape(dims)])));
  const constants = constantTensors(graph);
  const g = new GraphBuilder({ base: model });
  const products = new Int8Products(g, bits);
  let count = 0;
  const nodes = graph.nodes.flatMap((each) => {
    const product = productOf(each, constants, shapes);
    if (product === undefined) return [each];
    count++;
    return products.nodes(product);
  });
  if (count === 0) return undefined;
  const whole = g.model();
  return {
    model: { ...whole, graph: { ...prune({ ...whole.graph, nodes, valueInfos: [] }), inputs: whole.graph.inputs } },
    products: count,
  };
}

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
  if (!KNOWN_DOMAINS.has(each.domain)) return undefined;
  const { op, inputs, outputs } = each;
  const [rows = '', second = '', bias = ''] = inputs;
  if (op !== 'MatMul' && op !== 'Gemm') return undefined;
  const value = attributesOf(each);
  const plain =
    op === 'MatMul' ||
    (value.int('transA', 0) === 0 && value.float('alpha', 1) === 1 && (bias === '' || value.float('beta', 1) === 1));
  const weights = constants.floats(second);
  if (!plain || weights === undefined || weights.dims.length !== 2 || weights.size < LEAST_WEIGHTS) return undefined;
  // Of a single token of each text: fewer products than the search for their scales is worth, and closest to the answer.
  const shape = shapes.shape(rows);
  const few = shape?.every((size, axis) => axis === shape.length - 1 || size === 1 || size === TEXTS_AND_TOKENS[0]);
  if (constants.has(rows) || few) return undefined;
  const transposed = op === 'Gemm' && value.int('transB', 0) === 1;
  return { rows, weights, transposed, bias: op === 'Gemm' ? bias : '', output: outputs[0] as string };
}

/** Rows of 8 bits, and what each is to be multiplied with. */
interface QuantisedRows {
  readonly rows: string;
  /** [..., 1] */
  readonly scale: string;
}

class Int8Products {
  readonly #g: GraphBuilder;
  readonly #bits: WeightBits;
  /** Tensor -> its rows: shared by the products that read it. */
  readonly #rows = new Map<string, QuantisedRows>();

  constructor(g: GraphBuilder, bits: WeightBits) {
    this.#g = g;
    this.#bits = bits;
  }

  nodes({ rows, weights, transposed, bias, output }: Product): Node[] {
    const g = this.#g;
    const [k, n] = transposed ? [weights.dims[1], weights.dims[0]] : weights.dims;
    const input = this.#quantised(rows, k as number);
    const { values, scales } = quantisedColumns(weights, transposed, WEIGHT_BITS[this.#bits]);
    const name = `${output}/int8`;
    const product = g.op(
      'MatMulIntegerToFloat',
      [
        input.rows,
        g.initializer(`${name}/weights`, [k as number, n as number], values, DataType.int8),
        g.float(1 / STEPS),
        g.initializer(`${name}/scales`, [n as number], scales),
        this.#zeroPoint(),
      ],
      { domain: MICROSOFT },
    );
    const last =
      bias === ''
        ? node('Mul', [product, input.scale], output)
        : node('Add', [g.op('Mul', [product, input.scale]), bias], output);
    return [...g.take(), last];
  }

  #quantised(rows: string, k: number): QuantisedRows {
    const known = this.#rows.get(rows);
    if (known !== undefined) return known;
    const g = this.#g;
    const reduced = (op: string): string =>
      g.opset < AXES_INPUT_OPSET
        ? g.op(op, [rows], { attributes: { axes: [-1], keepdims: 1 } })
        : g.op(op, [rows, g.ints([-1])], { attributes: { keepdims: 1 } });
    const scale = g.op('Max', [reduced('ReduceMax'), g.op('Neg', [reduced('ReduceMin')]), g.float(LEAST_MAGNITUDE)]);
    // A scale for each row is one along the first axis of two.
    const step = g.op('Mul', [g.op('Reshape', [scale, g.ints([-1])]), g.float(1 / STEPS)]);
    const zeroPoints = g.op('ConstantOfShape', [g.op('Shape', [step])], {
      attributes: { value: Tensor.of('', [1], Uint8Array.of(ZERO_POINT)) },
    });
    const flat = g.op('QuantizeLinear', [g.op('Reshape', [rows, g.ints([-1, k])]), step, zeroPoints], {
      domain: MICROSOFT,
      attributes: { axis: 0 },
    });
    const quantised = { rows: g.op('Reshape', [flat, g.op('Shape', [rows])]), scale };
    this.#rows.set(rows, quantised);
    return quantised;
  }

  #zeroPoint(): string {
    return this.#g.shared(Tensor.of('int8 zero point', [], Uint8Array.of(ZERO_POINT)));
  }
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
      const magnitude = Math.abs(given[i * row + j * column] as number);
      if (magnitude > (scales[j] as number)) scales[j] = magnitude;
    }
  }
  const steps = scales.map((largest) => (largest === 0 ? 0 : most / largest));
  const values = new Int8Array(k * n);
  for (let i = 0; i < k; i++) {
    for (let j = 0; j < n; j++) {
      values[i * n + j] = Math.round((given[i * row + j * column] as number) * (steps[j] as number));
    }
  }
  return { values, scales: scales.map((largest) => largest / most) };
}
