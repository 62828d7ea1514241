/** @file Errors of models that are well-formed, and hold what is not converted. */
import { ModelError } from '../../core/errors.js';

export const WITH_TF2ONNX = 'Convert the Keras or TensorFlow model to ONNX with tf2onnx, and name that file.';

export const unsupported = (path: string, expected: string, got: string, hint = WITH_TF2ONNX): ModelError =>
  new ModelError(`${path}: expected ${expected}, got ${got}`, { code: 'CONVERT_UNSUPPORTED', hint });

/** A graph that TensorFlow does not write. */
export const malformed = (where: string, got: string): ModelError =>
  new ModelError(`${where}: expected a graph of TensorFlow, got ${got}`, {
    code: 'CHECKPOINT_INVALID',
    hint: 'Fetch model.json again, or make it again with tensorflowjs_converter.',
  });
