/** @file The op table: ONNX operator (onnx/docs/Operators.md) -> TF.js ops. Other operators are lowered first, or refused. */
import type { OperatorName } from '../../../../packages/onnx/src/graph/operators/index.js';
import type { TF } from '../../../tfjs/tf.js';
import { activation } from './activation.js';
import { arithmetic } from './arithmetic.js';
import { convolution } from './convolution.js';
import { KernelContext, type Op, type Ops } from './kernel-context.js';
import { lookup } from './lookup.js';
import { normalisation } from './normalisation.js';
import { product } from './product.js';
import { recurrent } from './recurrent.js';
import { reduction } from './reduction.js';
import { select } from './select.js';
import { order, shape } from './shape.js';
import { softmax } from './softmax.js';
import { unary } from './unary.js';

/** Every operator of the ai.onnx domain that the table (onnx/operators) has a gradient rule for. */
export function ops(tf: TF): Ops {
  const k = new KernelContext(tf);
  const all: Readonly<Record<OperatorName<'', 'rule'>, Op>> = {
    ...arithmetic(k),
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
    ...lookup(k),
    ...order(k),
  };
  return all;
}
