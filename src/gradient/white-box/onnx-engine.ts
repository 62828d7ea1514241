/** @file The gradient engine of onnxruntime: the backward pass is more of the same graph. */

import { differentiate } from '../../../packages/onnx/src/autodiff/differentiate.js';
import { lower, lowerable } from '../../../packages/onnx/src/autodiff/lower/index.js';
import { DYNAMIC } from '../../../packages/onnx/src/autodiff/shapes.js';
import { simplify } from '../../../packages/onnx/src/autodiff/simplify/index.js';
import { GraphBuilder } from '../../../packages/onnx/src/graph/builder.js';
import { DataType } from '../../../packages/onnx/src/graph/data-type.js';
import {
  embedded,
  initializersToInputs,
  prune,
  withGraph,
  withOutputs,
} from '../../../packages/onnx/src/graph/edit.js';
import type { Model, ValueInfo } from '../../../packages/onnx/src/graph/model.js';
import { writeModel } from '../../../packages/onnx/src/graph/write.js';
import { type Engine, gradientOf } from './engine.js';
import { observe, type Probes } from './observe.js';
import { type OpenOptions, openRunner } from './open-session.js';

/** The engine, each runner a session of its own: on the calling thread or, isolated, in a process. */
export function onnxEngine(options: OpenOptions = {}): Engine {
  return {
    name: 'onnx',
    async forward(model, outputs, weights = []) {
      return openRunner(forwardGraph(model, outputs, weights), options);
    },
    async backward(...graph) {
      return openRunner(await backwardGraph(...graph, undefined, options.isolate), options);
    },
  };
}

/** The file of the graph that computes `outputs`, given `weights`. */
export function forwardGraph(model: Model, outputs: readonly string[], weights: readonly string[]): Uint8Array {
  const graph = embedded(prune(withOutputs(model.graph, outputs)));
  const fed = weights.filter((name) => graph.initializers.has(name));
  return writeModel(withGraph(model, initializersToInputs(graph, fed)));
}

/**
 * The model simplified, with compound operators lowered to operators that have rules where possible. Idempotent. `probes`, `isolate`: see
 * observe.
 */
export async function loweredGraph(model: Model, probes?: Probes, isolate = false): Promise<Model> {
  const simple = simplify(model);
  return lowerable(simple) ? lower(simple, await observe(simple, probes, isolate)) : simple;
}

/** The file of the graph that computes `outputs` and the gradients of `loss`. Throws UnsupportedOpError, ModelError. */
export async function backwardGraph(
  model: Model,
  outputs: readonly string[],
  weights: readonly string[],
  loss: string,
  wrt: readonly string[],
  probes?: Probes,
  isolate = false,
): Promise<Uint8Array> {
  const kept = prune(withOutputs(model.graph, [...outputs, loss, ...wrt]));
  const wanted = withGraph(model, withOutputs(kept, [...outputs, loss]));
  const plain = await loweredGraph(wanted, probes, isolate);
  const shapes = await observe(plain, probes, isolate);
  const { model: whole, gradients } = differentiate(plain, shapes, loss, wrt);
  const g = new GraphBuilder({ base: whole });
  for (const name of wrt) {
    const zero = () => g.expand(g.float(0), g.shape(name));
    g.ops('Identity', [gradients.get(name) ?? zero()], [gradientOf(name)]);
  }
  // Their shapes, so that a runner can give those that are fixed a lasting place.
  const infos = wrt.map((name): ValueInfo => {
    const dims = shapes.get(name)?.dims.map((d) => (d === DYNAMIC ? null : d));
    return { name: gradientOf(name), type: DataType.float, dims };
  });
  const named = withGraph(g.model(), { ...g.graph(), valueInfos: infos });
  return forwardGraph(named, [...outputs, ...wrt.map(gradientOf)], weights);
}
