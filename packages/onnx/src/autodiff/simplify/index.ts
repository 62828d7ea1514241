/** @file A model's graph in the plainest form that computes the same (or, where it rounds, nearly the same) at single precision. */
import { withGraph } from '../../graph/edit.js';
import type { Model } from '../../graph/model.js';
import { liftConstants } from './constants.js';
import { dequantise } from './dequantise.js';
import { raiseOpset } from './raise-opset.js';
import { widen } from './widen.js';

/**
 * Constants as initializers, 16-bit numbers at 32 bits, quantised operators by their real-valued surrogates, and an opset whose scattering
 * adds. Float initializers keep their names; a 16-bit or quantised weight goes by the name it is used by.
 */
export function simplify(model: Model): Model {
  // The file's types of intermediate values may no longer be correct.
  const graph = { ...model.graph, valueInfos: [] };
  return raiseOpset(dequantise(withGraph(model, widen(liftConstants(graph)))));
}
