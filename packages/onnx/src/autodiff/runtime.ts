/** @file Runs small graphs with the onnxruntime of the caller. */
import type { InferenceSessionFactory, TensorConstructor } from 'onnxruntime-common';
import { ORT_TYPES, type OrtType, ortType } from '../graph/data-type.js';
import type { Feed } from '../graph/tensor.js';
import type { OpenGraph } from './observe.js';

/** What is used of onnxruntime-node, onnxruntime-web or another package with their interface, onnxruntime-common. */
export interface Runtime {
  readonly InferenceSession: InferenceSessionFactory;
  readonly Tensor: TensorConstructor;
}

/** Without optimisation, which would take away tensors that are to be seen. */
export const openWith =
  ({ InferenceSession, Tensor }: Runtime): OpenGraph =>
  async (file) => {
    const session = await InferenceSession.create(file, { graphOptimizationLevel: 'disabled' });
    return {
      async run(feeds) {
        const fed = Array.from(
          feeds,
          ([name, { type, dims, data }]) => [name, new Tensor(ortType(type), data as Float32Array, dims)] as const,
        );
        const results = Object.entries(await session.run(Object.fromEntries(fed)));
        return new Map(
          results.map(([name, { type, dims, data }]) => [
            name,
            { type: ORT_TYPES[type as OrtType] ?? 0, dims, data: data as Feed['data'] },
          ]),
        );
      },
      release: () => session.release(),
    };
  };
