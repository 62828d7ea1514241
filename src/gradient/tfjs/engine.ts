/**
 * @file The gradient engine of TF.js: the same graph, interpreted with TF.js ops, differentiated by TF.js's own tape. It shares no rule with
 * the onnx engine, which makes it an independent check of it, and it runs on whatever backend the user's TF.js has. What no gradient
 * passes through runs in onnxruntime.
 */
import type { Scalar, Tensor } from '@tensorflow/tfjs-core';
import { assertOpset } from '../../../packages/onnx/src/autodiff/differentiate.js';
import { gradientOf } from '../../../packages/onnx/src/autodiff/gradient-graph.js';
import { compound, lower } from '../../../packages/onnx/src/autodiff/lower/index.js';
import { observe } from '../../../packages/onnx/src/autodiff/observe.js';
import { simplify } from '../../../packages/onnx/src/autodiff/simplify/index.js';
import { DataType } from '../../../packages/onnx/src/graph/data-type.js';
import { prune, withGraph, withOutputs } from '../../../packages/onnx/src/graph/edit.js';
import type { Model } from '../../../packages/onnx/src/graph/model.js';
import type { Feed } from '../../../packages/onnx/src/graph/tensor.js';
import { halfToFloat } from '../../../packages/onnx/src/half.js';
import { must } from '../../core/errors.js';
import { tfjsBackend } from '../../tfjs/backend.js';
import type { TF } from '../../tfjs/tf.js';
import type { Engine, Runner } from '../white-box/engine.js';
import { forwardGraph, onnxEngine, watched } from '../white-box/onnx-engine.js';
import { asFeeds, type OpenSession, openSession } from '../white-box/open-session.js';
import { Interpreter } from './interpret.js';
import { onHost, type Value } from './ops/kernel-context.js';
import { isReal } from './ops/shape.js';

/** The engine, on the fastest backend there is. TF.js is loaded when this is called, not before. */
export async function tfjsEngine(): Promise<Engine> {
  const { tf } = await tfjsBackend();
  const backward = async (
    model: Model,
    outputs: readonly string[],
    weights: readonly string[],
    loss: string,
    wrt: readonly string[],
  ): Promise<Runner> => {
    assertOpset(model);
    const wanted = [...outputs, loss];
    const kept = prune(withOutputs(model.graph, [...wanted, ...wrt]));
    const forward = simplify(withGraph(model, withOutputs(kept, wanted)));
    // Compound operators are taken apart first; shapes are only observed where that is needed.
    const plain = forward.graph.nodes.some(compound) ? lower(forward, await observe(forward, watched())) : forward;
    const graph = new Interpreter(tf, plain, { wanted, fed: weights, wrt });
    // Not optimised: onnxruntime's optimiser crashes the process on this part of XLNet.
    const session = () => openSession(forwardGraph(plain, graph.needed, weights), { optimise: false });
    const rest = graph.needed.length === 0 ? undefined : await session();
    return new TfjsRunner(graph, rest, outputs, loss, wrt);
  };
  return { name: 'tfjs', forward: onnxEngine().forward, backward };
}

class TfjsRunner implements Runner {
  readonly #graph: Interpreter;
  /** Computes the tensors that the graph needs. */
  readonly #rest: OpenSession | undefined;
  readonly #outputs: readonly string[];
  readonly #loss: string;
  readonly #wrt: readonly string[];

  constructor(
    graph: Interpreter,
    rest: OpenSession | undefined,
    outputs: readonly string[],
    loss: string,
    wrt: readonly string[],
  ) {
    this.#graph = graph;
    this.#rest = rest;
    this.#outputs = outputs;
    this.#loss = loss;
    this.#wrt = wrt;
  }

  async run(feeds: ReadonlyMap<string, Feed>): Promise<ReadonlyMap<string, Float32Array>> {
    const { tf, computed } = this.#graph;
    const rest = asFeeds((await this.#rest?.run(feeds)) ?? new Map());
    const results = new Map<string, Float32Array>();
    const keep = (name: string, value: Value): void => {
      results.set(name, Float32Array.from(onHost(value) ? value.data : value.dataSync()));
    };
    tf.tidy(() => {
      const given = new Map(Array.from([...feeds, ...rest], ([name, feed]) => [name, value(tf, feed)] as const));
      const values = this.#graph.run(given, computed) as Tensor[];
      const zeros = new Map(computed.map((name, i) => [name, tf.zerosLike(must(values[i]))] as const));
      const at = this.#wrt.map((name) => (zeros.get(name) ?? given.get(name) ?? this.#graph.constant(name)) as Tensor);
      const forward = (): Scalar => {
        const results = this.#graph.run(given, [...this.#outputs, this.#loss], zeros);
        this.#outputs.forEach((name, i) => void keep(name, must(results[i])));
        return tf.sum(results.at(-1) as Tensor);
      };
      const { grads } = tf.engine().gradients(forward, at, undefined, true);
      this.#wrt.forEach((name, i) => {
        const gradient = grads[i];
        keep(gradientOf(name), gradient ?? tf.zerosLike(must(at[i])));
      });
    });
    return results;
  }

  async release(): Promise<void> {
    this.#graph.dispose();
    await this.#rest?.release();
  }
}

/** Floating-point feeds go to the backend, the rest stays on the host. */
function value(tf: TF, { type, dims, data }: Feed): Value {
  if (type === DataType.float16) return tf.tensor(Float32Array.from(data as Uint16Array, halfToFloat), [...dims]);
  if (isReal(type)) return tf.tensor(Float32Array.from(data, Number), [...dims]);
  return { dims, data: Array.from(data, Number) };
}
