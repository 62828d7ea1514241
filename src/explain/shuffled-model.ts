/**
 * @file A copy of a loaded model whose weight matrices have their elements shuffled, for sanity checks of explanations (Adebayo et al.,
 * "Sanity Checks for Saliency Maps", 2018): an explanation of the model must not survive the shuffling.
 */
import type { Classifier } from '../core/classifier.js';
import { ModelError } from '../core/errors.js';
import { type Random, random } from '../core/random.js';
import { loweredGraph } from '../gradient/white-box/onnx-engine.js';
import { openVariant } from '../model/classifiers/graph-variant.js';
import type { LoadedModel } from '../model/loaded-model.js';
import { readsIds } from '../model/opening/input-kinds.js';
import { DataType } from '../onnx/data-type.js';
import { embedded, prune, withGraph, withInitializers, withOutputs } from '../onnx/edit.js';
import { readModelOutline } from '../onnx/load.js';
import { Tensor } from '../onnx/tensor.js';

export interface ShuffledModel {
  /** Opened for gradients and attention like the original; `close` releases its resources. */
  readonly loaded: LoadedModel;
  readonly classifier: Classifier;
  close(): Promise<void>;
}

/** The model with shuffled weights, in one worker. Throws ModelError if it is not a local graph of token ids. */
export async function openShuffled(model: LoadedModel, seed: number): Promise<ShuffledModel> {
  const { onnx } = model;
  if (onnx === undefined || !readsIds(onnx.encoder)) {
    throw new ModelError(
      `${model.name}: expected a local ONNX model of token ids to shuffle, got a different kind of model`,
      {
        code: 'NO_WEIGHTS',
      },
    );
  }
  // All weights in single precision, also for quantised models.
  const whole = await loweredGraph(await readModelOutline(onnx.file), undefined, onnx.isolate);
  const stream = random(seed, 'shuffled weights');
  const tensors = Array.from(whole.graph.initializers.values())
    .filter(({ type, dims }) => type === DataType.float && dims.length >= 2)
    .map((tensor) => Tensor.of(tensor.name, tensor.dims, shuffle(tensor.floats(), stream.split(tensor.name))));
  const graph = embedded(prune(withOutputs(withInitializers(whole.graph, tensors), [onnx.wiring.output])));
  const { rows, parts, close } = await openVariant(onnx, withGraph(whole, graph), onnx.rule, 1);
  const classifier = { labels: model.labels, classify: rows };
  return { loaded: { ...model, ...classifier, paths: [parts.file], onnx: parts }, classifier, close };
}

/** A shuffled copy (Fisher and Yates). */
function shuffle(data: Float32Array, stream: Random): Float32Array {
  const copy = data.slice();
  for (let last = copy.length - 1; last > 0; last--) {
    const other = stream.int(last + 1);
    const kept = copy[last]!;
    copy[last] = copy[other]!;
    copy[other] = kept;
  }
  return copy;
}
