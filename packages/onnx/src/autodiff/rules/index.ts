/** @file The rule table: ONNX operator -> how its gradient is written. */
import type { OperatorName } from '../../graph/operators/index.js';
import type { GradientRule } from '../tape.js';
import { Conv } from './convolution.js';
import * as elementwise from './elementwise.js';
import * as normalisation from './normalisation.js';
import * as product from './product.js';
import { GRU, LSTM } from './recurrent.js';
import * as reduction from './reduction.js';
import * as select from './select.js';
import * as shape from './shape.js';

/** The rule of every operator that the table (onnx/operators) says has one. */
const rules: Readonly<Record<OperatorName<'', 'rule'>, GradientRule>> = {
  ...elementwise,
  ...normalisation,
  ...reduction,
  ...shape,
  ...select,
  ...product,
  Conv,
  LSTM,
  GRU,
};

/** Every operator of the ai.onnx domain that can stand between the loss and a parameter. */
export const RULES: Readonly<Record<string, GradientRule>> = rules;

/** Operators whose rule takes the gradient of every output; all others have one differentiable output, the first. */
export const MULTIPLE_OUTPUTS: ReadonlySet<string> = new Set(['Split', 'LSTM', 'GRU']);
