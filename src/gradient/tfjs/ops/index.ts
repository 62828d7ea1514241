/** @file The op table: ONNX operator (onnx/docs/Operators.md) -> TF.js ops. What is not here is spelt out first (lower) or refused. */
import type { TF } from '../tf.js';
import { activation } from './activation.js';
import { arithmetic } from './arithmetic.js';
import { comparison } from './comparison.js';
import { convolution } from './convolution.js';
import { integers } from './integers.js';
import { KernelContext, type Ops } from './kernel-context.js';
import { normalisation } from './normalisation.js';
import { product } from './product.js';
import { recurrent } from './recurrent.js';
import { reduction } from './reduction.js';
import { select } from './select.js';
import { shape } from './shape.js';
import { softmax } from './softmax.js';
import { unary } from './unary.js';

const FAMILIES = [
  arithmetic,
  comparison,
  unary,
  activation,
  softmax,
  reduction,
  product,
  normalisation,
  convolution,
  recurrent,
  shape,
  select,
  integers,
];

/** Every operator of the ai.onnx domain that this engine runs. */
export function ops(tf: TF): Ops {
  const context = new KernelContext(tf);
  return Object.assign({}, ...FAMILIES.map((family) => family(context))) as Ops;
}
