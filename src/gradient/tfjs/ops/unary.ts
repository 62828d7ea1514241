/** @file Functions of one operand, element by element. */
import * as host from '../host.js';
import { type KernelContext, type Op, type Ops, onHost } from './kernel-context.js';

/** To the nearest integer, halves to the even one. */
const roundHalfEven = (x: number): number => {
  const nearest = Math.round(x);
  return nearest - x === 0.5 && nearest % 2 !== 0 ? nearest - 1 : nearest;
};

export const unary = (k: KernelContext) => {
  const { tf } = k;
  /** Steps: flat wherever they have a derivative. */
  const steps =
    (f: (x: number) => number): Op =>
    ({ inputs: [x] }) => [onHost(x) ? host.map(x, f) : k.up(host.map(k.flat(x), f))];
  return {
    Sqrt: k.unary((x) => tf.sqrt(x)),
    Reciprocal: k.unary((x) => tf.reciprocal(x)),
    Exp: k.unary((x) => tf.exp(x)),
    Log: k.unary((x) => tf.log(x)),
    Erf: k.unary((x) => tf.erf(x)),
    Sin: k.unary((x) => tf.sin(x)),
    Cos: k.unary((x) => tf.cos(x)),
    Tan: k.unary((x) => tf.tan(x)),
    Sinh: k.unary((x) => tf.sinh(x)),
    Cosh: k.unary((x) => tf.cosh(x)),
    Asin: k.unary((x) => tf.asin(x)),
    Acos: k.unary((x) => tf.acos(x)),
    Atan: k.unary((x) => tf.atan(x)),
    Asinh: k.unary((x) => tf.asinh(x)),
    Acosh: k.unary((x) => tf.acosh(x)),
    Atanh: k.unary((x) => tf.atanh(x)),
    Neg: ({ inputs: [x] }) => [onHost(x) ? host.map(x, (v) => -v) : tf.neg(k.up(x))],
    Abs: ({ inputs: [x] }) => [onHost(x) ? host.map(x, Math.abs) : tf.abs(k.up(x))],
    Sign: steps(Math.sign),
    Floor: steps(Math.floor),
    Ceil: steps(Math.ceil),
    Round: steps(roundHalfEven),
  } satisfies Ops;
};
