/** @file Interface of the gradient engines of attacks and trigger searches. */
import type { Model } from '../../../packages/onnx/src/graph/model.js';
import type { Feed } from '../../../packages/onnx/src/graph/tensor.js';

/** A graph ready to run. */
export interface Runner {
  /**
   * The outputs by name, row-major; valid until the next run. Every input must be fed, and every initialiser that was
   * declared a weight. Throws ModelError.
   */
  run(feeds: ReadonlyMap<string, Feed>): Promise<ReadonlyMap<string, Float32Array>>;
  release(): Promise<void>;
}

export interface Engine {
  readonly name: 'onnx' | 'tfjs';
  /** A runner of the tensors `outputs`; `weights` are initialisers that every run feeds. */
  forward(model: Model, outputs: readonly string[], weights?: readonly string[]): Promise<Runner>;
  /**
   * As `forward`, and with the gradient of the sum of `loss`'s elements for each of `wrt`, under the name `gradientOf` gives.
   * `wrt` may name inputs, initialisers or any tensor between; a gradient has its tensor's shape, and is zero where the
   * loss does not depend on it. Throws UnsupportedOpError that lists every operator without a gradient.
   */
  backward(
    model: Model,
    outputs: readonly string[],
    weights: readonly string[],
    loss: string,
    wrt: readonly string[],
  ): Promise<Runner>;
}
