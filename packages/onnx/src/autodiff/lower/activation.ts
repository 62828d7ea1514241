/** @file Activation functions and arithmetic that simpler operators make up. */
import { attributesOf } from '../../graph/attributes.js';
import { float } from '../../graph/builder.js';
import type { Tape } from '../tape.js';
import { gelu } from './gelu.js';
import type { Lowering } from './lowering.js';

/** x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2 (Hendrycks and Gimpel 2016). */
function tanhGelu(g: Tape, x: string): string {
  const cubic = g.plus(g.scale(g.square(x), 0.044715), 1);
  const t = g.op('Tanh', [g.scale(g.mul(x, cubic), Math.sqrt(2 / Math.PI))]);
  return g.mul(x, g.scale(g.plus(t, 1), 0.5));
}

/** x Phi(x), or its approximation by tanh. */
export const Gelu: Lowering = ({ g, node, x }) => [
  attributesOf(node).string('approximate', 'none') === 'tanh' ? tanhGelu(g, x) : gelu(g, x),
];

/** (x + b) Phi(x + b) */
export const BiasGelu: Lowering = ({ g, inputs: [x = '', b = ''] }) => [gelu(g, g.add(x, b))];

/** z (1 + tanh(sqrt(2/pi) (z + 0.044715 z^3))) / 2, z = x + b */
export const FastGelu: Lowering = ({ g, inputs: [x = '', b] }) => [tanhGelu(g, b ? g.add(x, b) : x)];

/** x s(alpha x) */
export const QuickGelu: Lowering = ({ g, node, x }) => [
  g.mul(x, g.op('Sigmoid', [g.scale(x, attributesOf(node).float('alpha', 1.702))])),
];

const above = (g: Tape, x: string, edge: number): string => g.op('Greater', [x, g.float(edge)]);

/** gamma x where x > 0, else gamma alpha (e^x - 1). Defaults: Klambauer et al. 2017. */
export const Selu: Lowering = ({ g, node, x }) => {
  const { float: real } = attributesOf(node);
  const elu = g.op('Elu', [x], { alpha: float(real('alpha', 1.6732631921768188)) });
  return [g.scale(elu, real('gamma', 1.0507010221481323))];
};

/** x where x > 0, else a x */
export const PRelu: Lowering = ({ g, inputs: [x = '', a = ''] }) => [g.where(above(g, x, 0), x, g.mul(x, a))];

/** x max(0, min(1, x / 6 + 1/2)) */
export const HardSwish: Lowering = ({ g, x }) => [
  g.mul(x, g.op('HardSigmoid', [x], { alpha: float(1 / 6), beta: float(0.5) })),
];

/** x / (1 + |x|) */
export const Softsign: Lowering = ({ g, x }) => [g.div(x, g.plus(g.op('Abs', [x]), 1))];

/** x tanh(softplus x) (Misra 2019) */
export const Mish: Lowering = ({ g, x }) => [g.mul(x, g.op('Tanh', [g.op('Softplus', [x])]))];

/** a + b + ... */
export const Sum: Lowering = ({ g, inputs }) => [inputs.reduce((a, b) => g.add(a, b))];

/** (a + b + ...) / n */
export const Mean: Lowering = ({ g, inputs }) => [
  g.scale(
    inputs.reduce((a, b) => g.add(a, b)),
    1 / inputs.length,
  ),
];
