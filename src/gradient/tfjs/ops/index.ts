/** @file The op table: ONNX operator (onnx/docs/Operators.md) -> TF.js ops. What is not here is spelt out first (lower) or refused. */
import type { OperatorName } from '../../../onnx/operators/index.js';
import type { TF } from '../tf.js';
import { activation } from './activation.js';
import { arithmetic } from './arithmetic.js';
import { comparison } from './comparison.js';
import { convolution } from './convolution.js';
import { integers } from './integers.js';
import { KernelContext, type Op, type Ops } from './kernel-context.js';
import { normalisation } from './normalisation.js';
import { product } from './product.js';
import { recurrent } from './recurrent.js';
import { reduction } from './reduction.js';
import { select } from './select.js';
import { shape } from './shape.js';
import { softmax } from './softmax.js';
import { unary } from './unary.js';

/** Every operator of the ai.onnx domain that this engine runs: those that the table (onnx/operators) has a gradient rule or none for. */
export function ops(tf: TF): Ops {
  const k = new KernelContext(tf);
  const all: Readonly<Record<OperatorName<'', 'rule' | 'none'>, Op>> = {
    ...arithmetic(k),
    ...comparison(k),
    ...unary(k),
    ...activation(k),
    ...softmax(k),
    ...reduction(k),
    ...product(k),
    ...normalisation(k),
    ...convolution(k),
    ...recurrent(k),
    ...shape(k),
    ...select(k),
    ...integers(k),
  };
  return all;
}
