/** @file Answers of a model in training, of which any tensor can be read. */
import type { Runner } from '../gradient/white-box/engine.js';
import { forwardGraph } from '../gradient/white-box/onnx-engine.js';
import { type OpenOptions, openRunner } from '../gradient/white-box/open-session.js';
import type { Model } from '../onnx/model.js';

/** A runner of the tensors `outputs`; `weights` are initialisers that every run feeds. Throws ModelError. */
export const openForward = (
  model: Model,
  outputs: readonly string[],
  weights: readonly string[] = [],
  options?: OpenOptions,
): Promise<Runner> => openRunner(forwardGraph(model, outputs, weights), options);
