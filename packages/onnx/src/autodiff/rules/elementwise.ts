/** @file Operators that work element by element: functions, activations, and arithmetic with broadcasting. At a kink the derivative is PyTorch's. */
import { attributesOf } from '../../graph/attributes.js';
import { broadcasting, type GradientRule, type Tape } from '../tape.js';

/** y = sqrt x:  dx = dy / 2y */
export const Sqrt: GradientRule = ({ g, y, dy }) => [() => g.div(g.scale(dy, 0.5), y)];

/** y = 1 / x:  dx = -dy y^2 */
export const Reciprocal: GradientRule = ({ g, y, dy }) => [() => g.neg(g.mul(dy, g.square(y)))];

/** y = e^x:  dx = dy y */
export const Exp: GradientRule = ({ g, y, dy }) => [() => g.mul(dy, y)];

/** y = ln x:  dx = dy / x */
export const Log: GradientRule = ({ g, x, dy }) => [() => g.div(dy, x)];

/** y = -x:  dx = -dy */
export const Neg: GradientRule = ({ g, dy }) => [() => g.neg(dy)];

/** y = |x|:  dx = dy sign x */
export const Abs: GradientRule = ({ g, x, dy }) => [() => g.mul(dy, g.op('Sign', [x]))];

/** y = erf x:  dx = dy 2/sqrt(pi) e^(-x^2), the factor within the exponent, where it costs nothing */
export const Erf: GradientRule = ({ g, x, dy }) => [
  () => g.mul(dy, g.exp(g.sub(g.float(Math.log(2 / Math.sqrt(Math.PI))), g.square(x)))),
];

/** y = sin x:  dx = dy cos x */
export const Sin: GradientRule = ({ g, x, dy }) => [() => g.mul(dy, g.op('Cos', [x]))];

/** y = cos x:  dx = -dy sin x */
export const Cos: GradientRule = ({ g, x, dy }) => [() => g.neg(g.mul(dy, g.op('Sin', [x])))];

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

/** y = a + b:  da = dy,  db = dy */
export const Add: GradientRule = broadcasting(({ dy }) => [() => dy, () => dy]);

/** y = a - b:  da = dy,  db = -dy */
export const Sub: GradientRule = broadcasting(({ g, dy }) => [() => dy, () => g.neg(dy)]);

/** y = a b:  da = dy b,  db = dy a */
export const Mul: GradientRule = broadcasting(({ g, inputs: [a = '', b = ''], dy }) => [
  () => g.times(dy, b),
  () => g.times(dy, a),
]);

/** y = a / b:  da = dy / b,  db = -dy y / b */
export const Div: GradientRule = broadcasting(({ g, inputs: [, b = ''], y, dy }) => [
  () => g.over(dy, b),
  () => g.neg(g.mul(g.div(dy, b), y)),
]);

/** y = x^e:  dx = dy e x^(e-1),  de = dy y ln x (where x > 0) */
export const Pow: GradientRule = broadcasting(({ g, inputs: [x = '', e = ''], y, dy }) => [
  () => {
    const exponent = g.constant(e);
    if (exponent?.length !== 1) return g.mul(dy, g.mul(e, g.op('Pow', [x, g.sub(e, g.float(1))])));
    const [power] = exponent as [number];
    if (power === 2) return g.mul(dy, g.scale(x, 2));
    return g.mul(dy, g.scale(g.op('Pow', [x, g.float(power - 1)]), power));
  },
  () => g.keep(g.op('Greater', [x, g.float(0)]), g.mul(dy, g.mul(y, g.op('Log', [x])))),
]);

/** y = max(a, b, ...):  dy to the operand that is y; where n operands tie, dy / n to each */
export const Max: GradientRule = broadcasting(({ g, inputs, y, dy }) => {
  const isMax = (x: string) => g.indicator(g.op('Equal', [x, y]));
  const ties = () => inputs.map(isMax).reduce((sum, term) => g.add(sum, term));
  return inputs.map((x) => () => g.mul(isMax(x), inputs.length === 1 ? dy : g.div(dy, ties())));
});

/** y = min(a, b, ...): as Max */
export const Min: GradientRule = Max;

/** y = a where m, else b:  da = dy where m, db = dy elsewhere */
export const Where: GradientRule = broadcasting(({ g, inputs: [m = ''], dy }) => [
  undefined,
  () => g.keep(m, dy),
  () => g.where(m, g.float(0), dy),
]);
