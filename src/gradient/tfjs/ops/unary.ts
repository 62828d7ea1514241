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
    Neg: k.unary((x) => tf.neg(x)),
    Abs: k.unary((x) => tf.abs(x)),
  } satisfies Ops;
};
