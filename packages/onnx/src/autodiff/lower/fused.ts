/** @file A product or a convolution with the activation that follows it, in one operator. */
import { attributesOf } from '../../graph/attributes.js';
import { float } from '../../graph/builder.js';
import type { Attributes, AttributeValue } from '../../graph/node-writer.js';
import { Unsupported } from '../tape.js';
import type { Lowering, LoweringContext } from './lowering.js';

/** alpha op(a) op(b), where op may swap the last two axes. */
export const FusedMatMul: Lowering = ({ g, node, inputs: [a = '', b = ''] }) => {
  const { int, float: real } = attributesOf(node);
  const side = (x: string, transposed: number) => {
    const rank = g.rank(x);
    if (transposed === 0 || rank < 2) return x;
    return g.transpose(x, [...g.axesExcept(rank, [rank - 2, rank - 1]), rank - 1, rank - 2]);
  };
  const product = g.matmul(side(a, int('transA', 0)), side(b, int('transB', 0)));
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
