/** @file A product, a convolution or a bias with the activation that follows it, in one operator. */

import { attributesOf } from '../../../onnx/attributes.js';
import { type AttributeValue, float } from '../../../onnx/builder.js';
import type { Attributes } from '../algebra.js';
import { type Tape, Unsupported } from '../tape.js';
import { gelu } from './gelu.js';
import type { Lowering, LoweringContext } from './lowering.js';

/** x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2 (Hendrycks and Gimpel 2016). */
function tanhGelu(g: Tape, x: string): string {
  const cubic = g.plus(g.scale(g.square(x), 0.044715), 1);
  const t = g.op('Tanh', [g.scale(g.mul(x, cubic), Math.sqrt(2 / Math.PI))]);
  return g.mul(x, g.scale(g.plus(t, 1), 0.5));
}

/** x Phi(x) */
export const Gelu: Lowering = ({ g, x }) => [gelu(g, x)];

/** (x + b) Phi(x + b) */
export const BiasGelu: Lowering = ({ g, inputs: [x, b] }) => [gelu(g, g.add(x!, b!))];

/** z (1 + tanh(sqrt(2/pi) (z + 0.044715 z^3))) / 2, z = x + b */
export const FastGelu: Lowering = ({ g, inputs: [x, b] }) => [tanhGelu(g, b ? g.add(x!, b) : x!)];

/** x s(alpha x) */
export const QuickGelu: Lowering = ({ g, node, x }) => [
  g.mul(x, g.op('Sigmoid', [g.scale(x, attributesOf(node).float('alpha', 1.702))])),
];

/** max(0, x) + min(0, alpha (e^(x / alpha) - 1)) (Barron 2017) */
export const Celu: Lowering = ({ g, node, x }) => {
  const alpha = attributesOf(node).float('alpha', 1);
  const below = g.op('Elu', [g.scale(x, 1 / alpha)], { alpha: float(1) });
  return [g.scale(below, alpha === 1 ? 1 : alpha)].map((y) => g.where(g.op('Greater', [x, g.float(0)]), x, y));
};

/** alpha op(a) op(b), where op may swap the last two axes. */
export const FusedMatMul: Lowering = ({ g, node, inputs: [a, b] }) => {
  const { int, float: real } = attributesOf(node);
  const side = (x: string, transposed: number) => {
    const rank = g.rank(x);
    if (transposed === 0 || rank < 2) return x;
    return g.transpose(x, [...g.axesExcept(rank, [rank - 2, rank - 1]), rank - 1, rank - 2]);
  };
  const product = g.matmul(side(a!, int('transA', 0)), side(b!, int('transB', 0)));
  return [g.scale(product, real('alpha', 1))];
};

/** The names of a fused activation's parameters, in the order of `activation_params`. */
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  Relu: [],
  Tanh: [],
  Sigmoid: [],
  Softplus: [],
  LeakyRelu: ['alpha'],
  Elu: ['alpha'],
  ThresholdedRelu: ['alpha'],
  HardSigmoid: ['alpha', 'beta'],
};

/** The node's own attributes without its activation's, and the activation applied to what they compute. */
function activated({ g, node }: LoweringContext, compute: (attributes: Attributes) => string): string {
  const own: Record<string, AttributeValue> = {};
  for (const [key, value] of node.attributes) if (!key.startsWith('activation')) own[key] = value;
  const y = compute(own);
  const { string, floats, float: real } = attributesOf(node);
  const activation = string('activation', '');
  if (activation === '') return y;
  const names = PARAMETERS[activation];
  if (names === undefined) throw new Unsupported(`activation ${activation}`);
  const parameters = floats('activation_params') ?? names.map((name) => real(`activation_${name}`, Number.NaN));
  const given = names.flatMap((name, i) => {
    const value = parameters[i];
    return value === undefined || Number.isNaN(value) ? [] : [[name, float(value)] as const];
  });
  return g.op(activation, [y], Object.fromEntries(given));
}

/** Gemm, then an activation. */
export const FusedGemm: Lowering = (at) => [activated(at, (attributes) => at.g.op('Gemm', at.inputs, attributes))];

/** Conv, then a tensor added (the fourth input), then an activation. */
export const FusedConv: Lowering = (at) => [
  activated(at, (attributes) => {
    const [x, w, b, added] = at.inputs as [string, string, string?, string?];
    const y = at.g.op('Conv', [x, w, ...(b ? [b] : [])], attributes);
    return added ? at.g.add(y, added) : y;
  }),
];
