/** @file Activation functions; those made of others are lowered first. At a kink the derivative is PyTorch's. */
import { attributesOf } from '../../graph/attributes.js';
import type { GradientRule, Tape } from '../tape.js';

/** y = tanh x:  dx = dy (1 - y^2) */
export const Tanh: GradientRule = ({ g, y, dy }) => [() => g.mul(dy, g.complement(g.square(y)))];

/** y = s(x) = 1 / (1 + e^-x):  dx = dy y (1 - y) */
export const Sigmoid: GradientRule = ({ g, y, dy }) => [() => g.mul(dy, g.mul(y, g.complement(y)))];

/** y = max(0, min(1, ax + b)):  dx = dy a where 0 < y < 1 */
export const HardSigmoid: GradientRule = ({ g, node, y, dy }) => [
  () => g.mul(dy, g.hardSigmoidSlope(y, attributesOf(node).float('alpha', 0.2))),
];

/** y = ln(1 + e^x):  dx = dy s(x) */
export const Softplus: GradientRule = ({ g, x, dy }) => [() => g.mul(dy, g.op('Sigmoid', [x]))];

/** y = max(0, x):  dx = dy where y > 0 */
export const Relu: GradientRule = ({ g, y, dy }) => [() => g.mul(dy, g.op('Sign', [y]))];

/** dx = dy where x > 0, else dy slope */
const bent = (g: Tape, x: string, dy: string, slope: string): string =>
  g.where(g.op('Greater', [x, g.float(0)]), dy, g.mul(dy, slope));

/** y = x where x > 0, else ax:  dx = dy, else dy a */
export const LeakyRelu: GradientRule = ({ g, node, x, dy }) => [
  () => bent(g, x, dy, g.float(attributesOf(node).float('alpha', 0.01))),
];

/** y = x where x > 0, else a (e^x - 1):  dx = dy, else dy (y + a) */
export const Elu: GradientRule = ({ g, node, x, y, dy }) => [
  () => bent(g, x, dy, g.plus(y, attributesOf(node).float('alpha', 1))),
];

/** y = min(max(x, low), high):  dx = dy where low <= x <= high */
export const Clip: GradientRule = ({ g, x, y, dy }) => [() => g.keep(g.op('Equal', [x, y]), dy), undefined, undefined];
