/** @file Shapes of a graph's tensors: fixed dimensions, and dimensions that depend on the input. */

/** A dimension that depends on the input. */
export const DYNAMIC = -1;

export interface ObservedTensors {
  /** Element type: onnx/data-type, 0 for one we do not know. */
  readonly type: number;
  readonly dims: readonly number[];
}

/** Every tensor of a graph, by name. */
export type Shapes = ReadonlyMap<string, ObservedTensors>;
