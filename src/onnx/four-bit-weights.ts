/**
 * @file The weights of a graph's products in 4 bits, an eighth of their size: MatMulNBits of onnxruntime. Each column of weights is cut into
 * blocks of 32, each with its scale and its zero point. Rows are computed in 8 bits, a block at a time, so that a text's answer does not depend
 * on the others in its batch. The error of a product is some 10 % of its size: far more than in 8 bits (int8-products.ts).
 *
 * The answers approximate the model's. They are for searches, whose successes the model itself confirms.
 */
import { getOrCompute } from '../core/get-or-compute.js';
import { GraphBuilder } from './builder.js';
import { constantTensors } from './constant-tensors.js';
import { DataType } from './data-type.js';
import { prune } from './edit.js';
import { type Product, productOf, textShapes } from './int8-products.js';
import type { Model, Node } from './model.js';
import { Tensor } from './tensor.js';
import { transpose } from './transposed.js';

/** Numbers with one scale. Blocks of 128 are a quarter faster, and coarser. */
const BLOCK = 32;
const BYTES = BLOCK / 2;
const MOST = 15;
/** Rows in 8 bits: the fastest, 0.25 of the time of single precision for two tokens. */
const ACCURACY_LEVEL = 4;

/** [n, blocks, 16], two numbers a byte; [n * blocks]; [n * half of the blocks], two a byte. */
interface Blocks {
  readonly values: Uint8Array;
  readonly scales: Float32Array;
  readonly zeros: Uint8Array;
}

/** Weights by the names of initializers: two graphs of the same ones share their tensors. They are computed when they are read, and not kept. */
export class FourBitWeights {
  readonly #tensors = new Map<string, readonly Tensor[]>();
  #unnamed = 0;
  /** The blocks that were read last. */
  #last: { readonly of: Tensor; readonly blocks: Blocks } | undefined;

  /** Values, scales and zero points of a product's weights: an initializer of this name, or made by nodes of the graph. */
  of({ weights, transposed }: Product, initializer: string | undefined): readonly Tensor[] {
    const [k, n] = (transposed ? weights.dims.toReversed() : weights.dims) as [number, number];
    const name = `${initializer ?? `made ${this.#unnamed++}`}/int4${transposed ? '/rows' : ''}`;
    const blocks = Math.ceil(k / BLOCK);
    const part = (key: keyof Blocks, type: number, dims: readonly number[]) =>
      new Tensor({ name: `${name}/${key}`, type, dims, read: () => this.#read(weights, transposed)[key] });
    return getOrCompute(this.#tensors, name, () => [
      part('values', DataType.uint8, [n, blocks, BYTES]),
      part('scales', DataType.float, [n * blocks]),
      part('zeros', DataType.uint8, [n * Math.ceil(blocks / 2)]),
    ]);
  }

  #read(of: Tensor, transposed: boolean): Blocks {
    if (this.#last?.of !== of) this.#last = { of, blocks: inBlocks(of, transposed) };
    return this.#last.blocks;
  }
}

/** The model with the weights of its large products in 4 bits; undefined where it has none. Inputs and outputs keep their names and shapes. */
export function withFourBitWeights(model: Model, weights: FourBitWeights): Model | undefined {
  const { graph } = model;
  const [constants, shapes] = [constantTensors(graph), textShapes(graph)];
  const g = new GraphBuilder({ base: model });
  let count = 0;
  const nodes = graph.nodes.flatMap((each) => {
    const product = productOf(each, constants, shapes);
    if (product === undefined) return [each];
    count++;
    const [, second = ''] = each.inputs;
    return fourBitProduct(g, product, weights.of(product, graph.initializers.has(second) ? second : undefined));
  });
  if (count === 0) return undefined;
  const whole = g.model();
  return { ...whole, graph: { ...prune({ ...whole.graph, nodes, valueInfos: [] }), inputs: whole.graph.inputs } };
}

function fourBitProduct(g: GraphBuilder, product: Product, parts: readonly Tensor[]): Node[] {
  const { rows, weights, transposed, bias, output } = product;
  const [K, N] = (transposed ? weights.dims.toReversed() : weights.dims) as [number, number];
  const inputs = [rows, ...parts.map((tensor) => g.shared(tensor))];
  const attributes = { K, N, bits: 4, block_size: BLOCK, accuracy_level: ACCURACY_LEVEL };
  const made = g.op('MatMulNBits', inputs, attributes, 'com.microsoft');
  // A bias may be a single number, which MatMulNBits does not take.
  if (bias !== '') g.add(made, bias);
  const nodes = g.take();
  return nodes.with(-1, { ...nodes.at(-1)!, outputs: [output] });
}

/** Each column of [k, n] (of [n, k], where transposed) in blocks, the numbers of each between its least and its greatest, and 0. */
function inBlocks(weights: Tensor, transposed: boolean): Blocks {
  const [k, n] = (transposed ? weights.dims.toReversed() : weights.dims) as [number, number];
  const given = weights.once();
  const single = given instanceof Float32Array ? given : weights.floats();
  const columns = transposed ? single : transpose(single, k, n);
  const blocks = Math.ceil(k / BLOCK);
  const values = new Uint8Array(n * blocks * BYTES);
  const scales = new Float32Array(n * blocks);
  const zeros = new Uint8Array(n * Math.ceil(blocks / 2));
  for (let column = 0; column < n; column++) {
    for (let block = 0; block < blocks; block++) {
      const from = column * k + block * BLOCK;
      const to = Math.min(from + BLOCK, (column + 1) * k);
      const at = column * blocks + block;
      const zero = quantise(columns.subarray(from, to), values.subarray(at * BYTES, (at + 1) * BYTES), scales, at);
      zeros[column * Math.ceil(blocks / 2) + (block >> 1)]! |= zero << (4 * (block & 1));
    }
  }
  return { values, scales, zeros };
}

/** Writes a block and its scale, and returns its zero point. */
function quantise(given: Float32Array, values: Uint8Array, scales: Float32Array, at: number): number {
  let [least, most] = [0, 0];
  for (const value of given) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  const scale = (most - least) / MOST;
  scales[at] = scale;
  if (scale === 0) return 0;
  const zero = Math.round(-least / scale);
  for (let i = 0; i < given.length; i++) {
    const level = Math.max(0, Math.min(MOST, Math.round(given[i]! / scale) + zero));
    values[i >> 1]! |= level << (4 * (i & 1));
  }
  return zero;
}
