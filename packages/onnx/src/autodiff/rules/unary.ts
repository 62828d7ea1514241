/** @file Functions of one operand, element by element. */
import type { GradientRule } from '../tape.js';

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
