/** @file Activation functions. At a kink the derivative is PyTorch's. */
import { attributesOf } from '../../../onnx/attributes.js';
import { broadcasting, type GradientRule, type Tape } from '../tape.js';

/** y = tanh x:  dx = dy (1 - y^2) */
export const Tanh: GradientRule = ({ g, y, dy }) => [() => g.mul(dy, g.complement(g.square(y)))];

/** y = s(x) = 1 / (1 + e^-x):  dx = dy y (1 - y) */
export const Sigmoid: GradientRule = ({ g, y, dy }) => [() => g.mul(dy, g.mul(y, g.complement(y)))];

/** y = max(0, min(1, ax + b)):  dx = dy a where 0 < y < 1 */
export const HardSigmoid: GradientRule = ({ g, node, y, dy }) => [
  () => g.mul(dy, g.hardSigmoidSlope(y, attributesOf(node).float('alpha', 0.2))),
];

/** y = x max(0, min(1, x/6 + 1/2)):  dx = dy (x/3 + 1/2) where -3 < x < 3, dy where x >= 3 */
export const HardSwish: GradientRule = ({ g, x, dy }) => [
  () => {
    const bend = g.mul(dy, g.plus(g.scale(x, 1 / 3), 0.5));
    const right = g.where(g.op('Less', [x, g.float(3)]), bend, dy);
    return g.keep(g.op('Greater', [x, g.float(-3)]), right);
  },
];

/** y = ln(1 + e^x):  dx = dy s(x) */
export const Softplus: GradientRule = ({ g, x, dy }) => [() => g.mul(dy, g.op('Sigmoid', [x]))];

/** y = x / (1 + |x|):  dx = dy (1 - |y|)^2 */
export const Softsign: GradientRule = ({ g, y, dy }) => [() => g.mul(dy, g.square(g.complement(g.op('Abs', [y]))))];

/** y = max(0, x):  dx = dy where y > 0 */
export const Relu: GradientRule = ({ g, y, dy }) => [() => g.mul(dy, g.op('Sign', [y]))];

/** dx = dy where x > 0, else dy slope */
const bent = (g: Tape, x: string, dy: string, slope: string): string =>
  g.where(g.op('Greater', [x, g.float(0)]), dy, g.mul(dy, slope));

/** y = x where x > 0, else ax:  dx = dy, else dy a */
export const LeakyRelu: GradientRule = ({ g, node, x, dy }) => [
  () => bent(g, x, dy, g.float(attributesOf(node).float('alpha', 0.01))),
];

/** y = x where x > 0, else ax:  dx = dy, else dy a;  da = 0, else dy x */
export const PRelu: GradientRule = broadcasting(({ g, inputs: [x, a], dy }) => [
  () => bent(g, x!, dy, a!),
  () => g.where(g.op('Greater', [x!, g.float(0)]), g.float(0), g.mul(dy, x!)),
]);

/** y = x where x > 0, else a (e^x - 1):  dx = dy, else dy (y + a) */
export const Elu: GradientRule = ({ g, node, x, y, dy }) => [
  () => bent(g, x, dy, g.plus(y, attributesOf(node).float('alpha', 1))),
];

/** y = c x where x > 0, else c a (e^x - 1):  dx = dy c, else dy (y + c a). Constants: Klambauer et al. 2017. */
export const Selu: GradientRule = ({ g, node, x, y, dy }) => [
  () => {
    const alpha = attributesOf(node).float('alpha', 1.6732631921768188);
    const gamma = attributesOf(node).float('gamma', 1.0507010221481323);
    const slope = g.where(g.op('Greater', [x, g.float(0)]), g.float(gamma), g.plus(y, gamma * alpha));
    return g.mul(dy, slope);
  },
];

/** y = x where x > a, else 0:  dx = dy where x > a */
export const ThresholdedRelu: GradientRule = ({ g, node, x, dy }) => [
  () => g.keep(g.op('Greater', [x, g.float(attributesOf(node).float('alpha', 1))]), dy),
];

/** y = x + bias where x < -lambd, x - bias where x > lambd, else 0:  dx = dy except where y is 0 between them */
export const Shrink: GradientRule = ({ g, node, x, dy }) => [
  () => g.keep(g.op('Greater', [g.op('Abs', [x]), g.float(attributesOf(node).float('lambd', 0.5))]), dy),
];

/** y = 1 at the greatest x of an axis, else 0: flat wherever it has a derivative. */
export const Hardmax: GradientRule = () => ['flat'];

/** y = min(max(x, low), high):  dx = dy where low <= x <= high */
export const Clip: GradientRule = ({ g, x, y, dy }) => [() => g.keep(g.op('Equal', [x, y]), dy), undefined, undefined];

/** y = x Phi(x):  dx = dy (Phi(x) + x phi(x)).  Hendrycks and Gimpel 2016; `tanh` is their approximation. */
export const Gelu: GradientRule = ({ g, node, x, dy }) => [
  () => g.mul(dy, attributesOf(node).string('approximate', 'none') === 'tanh' ? tanhGelu(g, x) : erfGelu(g, x)),
];

/** phi(x) = e^(-x^2 / 2) / sqrt(2 pi) */
function erfGelu(g: Tape, x: string): string {
  const density = g.scale(g.exp(g.scale(g.square(x), -0.5)), 1 / Math.sqrt(2 * Math.PI));
  return g.add(g.normalCdf(x), g.mul(x, density));
}

/** y = x (1 + t)/2, t = tanh u, u = c (x + 0.044715 x^3):  y' = (1 + t)/2 + x (1 - t^2)/2 c (1 + 3 * 0.044715 x^2) */
function tanhGelu(g: Tape, x: string): string {
  const c = Math.sqrt(2 / Math.PI);
  const x2 = g.square(x);
  const t = g.op('Tanh', [g.scale(g.mul(x, g.plus(g.scale(x2, 0.044715), 1)), c)]);
  const slope = g.scale(g.plus(g.scale(x2, 3 * 0.044715), 1), c / 2);
  return g.add(g.scale(g.plus(t, 1), 0.5), g.mul(x, g.mul(g.complement(g.square(t)), slope)));
}

/** y = x tanh(softplus x) (Misra 2019):  dx = dy (t + x (1 - t^2) s(x)) */
export const Mish: GradientRule = ({ g, x, dy }) => [
  () => {
    const t = g.op('Tanh', [g.op('Softplus', [x])]);
    return g.mul(dy, g.add(t, g.mul(x, g.mul(g.complement(g.square(t)), g.op('Sigmoid', [x])))));
  },
];
