/** @file The backward pass of a graph as more of the same graph. */
import { GraphBuilder } from '../graph/builder.js';
import { DataType } from '../graph/data-type.js';
import { embedded, initializersToInputs, prune, withGraph, withOutputs } from '../graph/edit.js';
import type { Model, ValueInfo } from '../graph/model.js';
import { differentiate } from './differentiate.js';
import { lower, lowerable } from './lower/index.js';
import { type OpenGraph, observe, type Probes } from './observe.js';
import { openWith, type Runtime } from './runtime.js';
import { DYNAMIC } from './shapes.js';
import { simplify } from './simplify/index.js';

/** The name of a gradient among a graph's outputs. */
export const gradientOf = (tensor: string): string => `d(${tensor})`;

export interface GradientOptions {
  /** The tensor that is differentiated, such as an output: the sum of its elements. */
  readonly of: string;
  /** Only the elements at this index of its last axis, such as the logits of one label. @default all */
  readonly index?: number;
  /** Inputs, weights, or tensors between, such as the rows that `embeddingLookups` finds. */
  readonly withRespectTo: readonly string[];
  /** The module onnxruntime-node or onnxruntime-web. It runs the graph twice on small inputs that are made up, to see its shapes. */
  readonly runtime: Runtime;
}

/**
 * The graph that computes the outputs of a model and, as `d(NAME)`, gradients of the shapes of the tensors that they belong to, in single
 * precision; zero where `of` does not depend on a tensor. Quantised and 16-bit parts are differentiated as the real numbers they stand for.
 * Throws OnnxError GRADIENTS_UNSUPPORTED that names every operator without a gradient.
 */
export async function gradientGraph(
  model: Model,
  { of, index, withRespectTo, runtime }: GradientOptions,
): Promise<Model> {
  const outputs = model.graph.outputs.map(({ name }) => name);
  const g = new GraphBuilder({ base: model });
  const loss = index === undefined ? of : g.op('Gather', [of, g.int(index)], { axis: -1 });
  return backward(g.model(), outputs, [], loss, withRespectTo, openWith(runtime));
}

/** The graph that computes `outputs`, given `weights`. */
export function forward(model: Model, outputs: readonly string[], weights: readonly string[]): Model {
  const graph = embedded(prune(withOutputs(model.graph, outputs)));
  const fed = weights.filter((name) => graph.initializers.has(name));
  return withGraph(model, initializersToInputs(graph, fed));
}

/**
 * The model simplified, with compound operators lowered to operators that have rules where possible. Idempotent. `open`, `probes`: see
 * observe.
 */
export async function lowered(model: Model, open: OpenGraph, probes?: Probes): Promise<Model> {
  const simple = simplify(model);
  return lowerable(simple) ? lower(simple, await observe(simple, open, probes)) : simple;
}

/** The graph that computes `outputs` and the gradients of `loss`, given `weights`. Throws OnnxError GRADIENTS_UNSUPPORTED. */
export async function backward(
  model: Model,
  outputs: readonly string[],
  weights: readonly string[],
  loss: string,
  wrt: readonly string[],
  open: OpenGraph,
  probes?: Probes,
): Promise<Model> {
  const kept = prune(withOutputs(model.graph, [...outputs, loss, ...wrt]));
  const wanted = withGraph(model, withOutputs(kept, [...outputs, loss]));
  const plain = await lowered(wanted, open, probes);
  const shapes = await observe(plain, open, probes);
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
  return forward(named, [...outputs, ...wrt.map(gradientOf)], weights);
}
