/** @file Input and output of a layer's conversion, and parts that all layers share. */

import type { GraphBuilder } from '../../onnx/builder.js';
import { DataType } from '../../onnx/data-type.js';
import { Tensor } from '../../onnx/tensor.js';
import type { ModelConfig } from '../config.js';

/** A tensor of the graph. The first axis are the texts. */
export interface LayerValue {
  readonly name: string;
  /** Null where a size is not known. */
  readonly shape: readonly (number | null)[];
  /** A tensor [texts, steps], true for words and false for padding; absent where all steps count. */
  readonly mask?: string | undefined;
  /** Rows of a table, as the texts come in. */
  readonly ids?: boolean;
}

export interface LayerCall {
  readonly g: GraphBuilder;
  readonly name: string;
  readonly config: ModelConfig;
  /** The values of a weight, such as "kernel", of this shape; of one part of a layer, where it has several. Throws ModelError. */
  readonly weight: (leaf: string, dims: readonly number[], part?: string) => Float32Array;
}

export interface LayerKind {
  /** Keys of the configuration that are read, or change nothing here. Others are refused. */
  readonly keys: readonly string[];
  /** The mask of the input holds for the output. */
  readonly keepsMask?: boolean;
  /** Takes several inputs. */
  readonly merges?: boolean;
  readonly draw: (call: LayerCall, inputs: readonly [LayerValue, ...LayerValue[]]) => LayerValue;
}

/** A weight in the graph; layers that are called twice share it. */
export const shared = ({ g, name }: LayerCall, leaf: string, dims: readonly number[], values: Float32Array): string =>
  g.shared(new Tensor({ name: `${name}/${leaf}`, type: DataType.float, dims, read: () => values }));

/** The size of the last axis. Throws ModelError where it is not known. */
export function widthOf({ config }: LayerCall, { shape }: LayerValue): number {
  const width = shape.at(-1);
  if (typeof width === 'number') return width;
  throw config.refuse('name', 'an input whose last axis has a known size');
}

/** The last axis replaced. */
export const withWidth = ({ shape }: LayerValue, width: number): (number | null)[] => [...shape.slice(0, -1), width];

/** Refuses anything but the last axis, however it is written. */
export function onlyLastAxis({ config }: LayerCall, axis: unknown, rank: number): void {
  const one = Array.isArray(axis) && axis.length === 1 ? axis[0] : axis;
  if (one !== undefined && one !== -1 && one !== rank - 1) throw config.refuse('axis', `the last one, ${rank - 1}`);
}

/** Keys of every layer that change nothing once it is trained. */
const COMMON = new Set([
  'name',
  'trainable',
  'dtype',
  'batch_input_shape',
  'input_shape',
  'batch_shape',
  'input_dtype',
  'sparse',
  'ragged',
]);

/** Throws ModelError for a key that is neither known nor one of how a layer was trained. */
export function refuseUnknown(config: ModelConfig, keys: readonly string[]): void {
  const unknown = config
    .keys()
    .find((key) => !COMMON.has(key) && !keys.includes(key) && !/_(initializer|regularizer|constraint)$/.test(key));
  if (unknown !== undefined && config.has(unknown)) throw config.refuse(unknown, 'no such key');
}
