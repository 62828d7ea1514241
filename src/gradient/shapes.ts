/**
 * @file Shapes by observation: instead of inferring how every operator transforms every shape, run the graph on two small
 * inputs of different sizes and look. Dimensions that agree are fixed, the others depend on the input.
 */
import type { InferenceSession, Tensor as OrtTensor } from 'onnxruntime-node';
import { withGraph, withOutputs } from '../onnx/edit.js';
import type { Model } from '../onnx/model.js';
import { writeModel } from '../onnx/write.js';
import { openSession } from './session.js';

/** A dimension that depends on the input. */
export const DYNAMIC = -1;

export interface Observed {
  readonly type: string;
  readonly dims: readonly number[];
}

/** Every tensor of a graph, by name. Types are onnxruntime's: `float32`, `int64`, `bool`. */
export type Shapes = ReadonlyMap<string, Observed>;

/**
 * Runs a graph on two feeds whose dynamic dimensions differ (in every dynamic dimension, and from each other) and reports what
 * every tensor looked like. Costs one session without optimisation and two small runs.
 */
export async function observe(model: Model, feeds: readonly InferenceSession.FeedsType[]): Promise<Shapes> {
  const names = model.graph.nodes.flatMap((node) => node.outputs.filter(Boolean));
  const session = await openSession(writeModel(withGraph(model, withOutputs(model.graph, names))), { optimise: false });
  const shapes = new Map<string, Observed>();
  const note = (name: string, type: string, dims: readonly number[]) => {
    const before = shapes.get(name);
    shapes.set(name, {
      type,
      dims: before === undefined ? [...dims] : before.dims.map((d, i) => (d === dims[i] ? d : DYNAMIC)),
    });
  };
  try {
    for (const feed of feeds) {
      const results: InferenceSession.OnnxValueMapType = await session.run(feed);
      for (const [name, value] of [...Object.entries(feed), ...Object.entries(results)]) {
        const tensor = value as OrtTensor;
        note(name, tensor.type, tensor.dims);
      }
    }
  } finally {
    await session.release();
  }
  for (const [name, tensor] of model.graph.initializers) {
    shapes.set(name, { type: ORT_TYPES[tensor.type] ?? 'other', dims: tensor.dims });
  }
  return shapes;
}

const ORT_TYPES: Readonly<Record<number, string>> = {
  1: 'float32',
  6: 'int32',
  7: 'int64',
  9: 'bool',
  10: 'float16',
  11: 'float64',
};
