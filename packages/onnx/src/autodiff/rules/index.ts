/** @file The rule table: ONNX operator -> how its gradient is written. */
import type { OperatorName } from '../../graph/operators/index.js';
import type { GradientRule } from '../tape.js';
import * as activation from './activation.js';
import * as arithmetic from './arithmetic.js';
import { Conv } from './convolution.js';
import { GRU } from './gru.js';
import { LSTM } from './lstm.js';
import { LayerNormalization } from './normalisation.js';
import { Einsum, Gemm, MatMul } from './product.js';
import * as reduction from './reduction.js';
import { RNN } from './rnn.js';
import * as select from './select.js';
import * as shape from './shape.js';
import * as softmax from './softmax.js';
import * as unary from './unary.js';

/** The rule of every operator that the table (onnx/operators) says has one. */
const rules: Readonly<Record<OperatorName<'', 'rule'>, GradientRule>> = {
  ...arithmetic,
  ...unary,
  ...activation,
  ...softmax,
  ...reduction,
  ...shape,
  ...select,
  MatMul,
  Gemm,
  Einsum,
  LayerNormalization,
  Conv,
  LSTM,
  GRU,
  RNN,
};

/** Every operator of the ai.onnx domain that can stand between the loss and a parameter. */
export const RULES: Readonly<Record<string, GradientRule>> = rules;

/** Operators whose rule takes the gradient of every output; all others have one differentiable output, the first. */
export const MULTIPLE_OUTPUTS: ReadonlySet<string> = new Set(['Split', 'LSTM', 'GRU', 'RNN']);
