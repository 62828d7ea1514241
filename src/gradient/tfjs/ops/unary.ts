/** @file Functions of one operand, element by element. */
import type { KernelContext, Ops } from './kernel-context.js';

export const unary = (k: KernelContext) => {
  const { tf } = k;
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
    Neg: k.unary((x) => tf.neg(x)),
    Abs: k.unary((x) => tf.abs(x)),
  } satisfies Ops;
};
