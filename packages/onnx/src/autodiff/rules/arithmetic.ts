/** @file Arithmetic of two or more operands, with broadcasting. */
import { broadcasting, type GradientRule } from '../tape.js';

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
