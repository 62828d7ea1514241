/** @file The gradient engine of onnxruntime: the backward pass is more of the same graph. */
import { backward, forward, lowered } from '../../../packages/onnx/src/autodiff/gradient-graph.js';
import type { OpenGraph, Probes } from '../../../packages/onnx/src/autodiff/observe.js';
import type { Model } from '../../../packages/onnx/src/graph/model.js';
import { writeModel } from '../../../packages/onnx/src/graph/write.js';
import type { Engine } from './engine.js';
import { asFeeds, type OpenOptions, openRunner, openSession } from './open-session.js';

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

/** Sessions in which every tensor is seen. `isolate`: in a process of its own. */
export const watched =
  (isolate = false): OpenGraph =>
  async (graph) => {
    const session = await openSession(graph, { optimise: false, isolate });
    return { run: async (feeds) => asFeeds(await session.run(feeds)), release: () => session.release() };
  };

/** The file of the graph that computes `outputs`, given `weights`. */
export const forwardGraph = (...graph: Parameters<typeof forward>): Uint8Array => writeModel(forward(...graph));

/** `lowered` with our sessions. */
export const loweredGraph = (model: Model, probes?: Probes, isolate = false): Promise<Model> =>
  lowered(model, watched(isolate), probes);

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
  return writeModel(await backward(model, outputs, weights, loss, wrt, watched(isolate), probes));
}
