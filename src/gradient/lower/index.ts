/** @file Rewrites a graph in operators that have rules. */
import type { Model } from '../../onnx/model.js';

export function lower(model: Model): Model {
  return model;
}
