/**
 * @file Products in 8 bits whose activations have a scale per row, so that a text's answer does not depend on the others in its batch. A row
 * x is stored as round(127 x / max |x|) + 128; the integer product times the weights' and the row's scale is then the product.
 */
import type { GraphBuilder } from '../../../packages/onnx/src/graph/builder.js';
import { type Node, node } from '../../../packages/onnx/src/graph/model.js';
import { Tensor } from '../../../packages/onnx/src/graph/tensor.js';

/** An activation's row is divided by its largest magnitude and stored around this zero point: 127 steps to each side. */
const STEPS = 127;
const ZERO_POINT = 128;
/** Rows of zeros are divided by this. */
const LEAST_MAGNITUDE = 1e-9;

/** Below, ConstantOfShape and broadcasting Max are missing. */
export const LEAST_OPSET = 9;
/** From here on ReduceMax and ReduceMin take their axes as an input. */
const AXES_INPUT_OPSET = 18;

const MICROSOFT = 'com.microsoft';

/** rows x (weights - zero) * scales + bias, by the names of the tensors. */
export interface RowProduct {
  /** [..., k], single precision. */
  readonly rows: string;
  readonly k: number;
  /** [k, n], 8 bits. */
  readonly weights: string;
  /** [n] or a single one. */
  readonly scales: string;
  /** A tensor of the weights' type, [n] or a single one. @default 0 */
  readonly zero?: string | undefined;
  readonly bias: string;
  readonly output: string;
}

/** Rows of 8 bits, and what each is to be multiplied with. */
interface QuantisedRows {
  readonly rows: string;
  /** [..., 1] */
  readonly scale: string;
}

export class RowQuantiser {
  readonly #g: GraphBuilder;
  /** Tensor -> its rows: shared by the products that read it. */
  readonly #rows = new Map<string, QuantisedRows>();

  constructor(g: GraphBuilder) {
    this.#g = g;
  }

  /** The nodes of a product, and those before them that the builder holds. */
  nodes({ rows, k, weights, scales, zero, bias, output }: RowProduct): Node[] {
    const g = this.#g;
    const input = this.#quantise(rows, k);
    const zeroPoint = g.shared(Tensor.of('int8 zero point', [], Uint8Array.of(ZERO_POINT)));
    const inputs = [input.rows, weights, g.float(1 / STEPS), scales, zeroPoint, ...(zero ? [zero] : [])];
    const product = g.op('MatMulIntegerToFloat', inputs, {}, MICROSOFT);
    const last =
      bias === ''
        ? node('Mul', [product, input.scale], output)
        : node('Add', [g.mul(product, input.scale), bias], output);
    return [...g.take(), last];
  }

  #quantise(rows: string, k: number): QuantisedRows {
    const known = this.#rows.get(rows);
    if (known !== undefined) return known;
    const g = this.#g;
    const reduce = (op: string): string =>
      g.opset < AXES_INPUT_OPSET
        ? g.op(op, [rows], { axes: [-1], keepdims: 1 })
        : g.op(op, [rows, g.ints([-1])], { keepdims: 1 });
    const scale = g.op('Max', [reduce('ReduceMax'), g.neg(reduce('ReduceMin')), g.float(LEAST_MAGNITUDE)]);
    // A scale for each row is one along the first axis of two.
    const step = g.mul(g.reshape(scale, [-1]), g.float(1 / STEPS));
    const zeroPoints = g.op('ConstantOfShape', [g.shape(step)], {
      value: Tensor.of('', [1], Uint8Array.of(ZERO_POINT)),
    });
    const flat = g.op('QuantizeLinear', [g.reshape(rows, [-1, k]), step, zeroPoints], { axis: 0 }, MICROSOFT);
    const quantised = { rows: g.reshape(flat, g.shape(rows)), scale };
    this.#rows.set(rows, quantised);
    return quantised;
  }
}
