/** @file The newest file format and operator set we know (github.com/onnx/onnx, docs/Versioning.md: ONNX 1.18). */
import { OnnxError } from '../errors.js';
import { type Model, opsetOf } from './model.js';

export const NEWEST_IR = 11;
export const NEWEST_OPSET = 23;

/** Why a model may be run but not rewritten: a newer format may hold what we would lose, a newer opset may mean another thing. */
function tooNew(model: Model): string | undefined {
  if (model.irVersion > NEWEST_IR) return `IR version ${model.irVersion} (newest known: ${NEWEST_IR})`;
  if (opsetOf(model) > NEWEST_OPSET) return `opset ${opsetOf(model)} (newest known: ${NEWEST_OPSET})`;
  return undefined;
}

/** Throws OnnxError (GRADIENTS_UNSUPPORTED) for a model that must not be rewritten. */
export function assertKnown(model: Model): void {
  const why = tooNew(model);
  if (why === undefined) return;
  throw new OnnxError(`expected a model we may rewrite, got one of ${why}`, {
    code: 'GRADIENTS_UNSUPPORTED',
    hint: `It still runs as a black box. For gradients or training export it at opset ${NEWEST_OPSET} or below.`,
  });
}
