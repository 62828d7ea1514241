/**
 * @file A model file that is trained and written back: read, made trainable (exporter merges split, half precision
 * widened), and with new weights turned into the same kind of file again.
 */
import { embedded } from '../../packages/onnx/src/graph/edit.js';
import { loadModel } from '../../packages/onnx/src/graph/load.js';
import type { Model } from '../../packages/onnx/src/graph/model.js';
import { writeModel } from '../../packages/onnx/src/graph/write.js';
import { withHalfPrecision, withSinglePrecision } from './half-storage.js';
import { splitShared } from './split-shared.js';
import { withWeights } from './trainable-model.js';

export interface ModelFile {
  /** Single precision, a weight of its own for every parameter. */
  readonly model: Model;
  /** The file with these weights; what it held in half precision it holds in half precision again. */
  bytes(weights: ReadonlyMap<string, Float32Array>): Uint8Array;
}

/** Throws ModelError. */
export async function openModelFile(path: string): Promise<ModelFile> {
  const read = await loadModel(path);
  const { model, names } = withSinglePrecision({ ...read, graph: splitShared(embedded(read.graph)) });
  return { model, bytes: (weights) => writeModel(withHalfPrecision(withWeights(model, weights), names)) };
}

/** The file of a model drawn by us; `half` keeps matrices and tables in half precision, in half the space. */
export function newModelFile(model: Model, half: boolean): ModelFile {
  const matrices = half
    ? Array.from(model.graph.initializers.values()).filter(
        ({ dims, data }) => dims.length > 1 && data instanceof Float32Array,
      )
    : [];
  const names = matrices.map(({ name }) => name);
  return { model, bytes: (weights) => writeModel(withHalfPrecision(withWeights(model, weights), names)) };
}
