/** @file Small made-up inputs of a graph, to see what its shapes depend on. */
import { DataType } from '../../onnx/data-type.js';
import { type Dimension, feeds, type Graph, type ValueInfo } from '../../onnx/model.js';
import type { Feed } from '../../onnx/tensor.js';

/** Batch, length, and any further dynamic dimensions of one run. */
type RunDims = readonly [batch: number, length: number, ...further: number[]];

/**
 * Pairs of runs, tried in turn until a graph accepts one: the first costs least, the others are for wide windows and for
 * models of few positions. The lengths lie far apart, so that dividing them by a stride does not make them equal.
 */
export const PROBES: readonly (readonly [RunDims, RunDims])[] = [
  [
    [2, 5, 7],
    [3, 19, 23],
  ],
  [
    [2, 11, 13],
    [3, 47, 43],
  ],
  [
    [2, 3, 4],
    [3, 8, 9],
  ],
  [
    [2, 70, 75],
    [3, 230, 220],
  ],
];

/**
 * Feeds of every input. Dimension 0 is taken for the batch and 1 for the length, unless a name says otherwise; ids are 0,
 * masks 1, floats 0.5.
 */
export function probeFeeds(graph: Graph, sizes: RunDims): Map<string, Feed> {
  const inputs = feeds(graph);
  const named = namedAxes(inputs);
  return new Map(
    inputs.map(({ name, type, dims = [] }) => {
      const shape = dims.map((dim, axis) => {
        if (typeof dim === 'number' && dim > 0) return dim;
        const role = (typeof dim === 'string' ? named.get(dim) : undefined) ?? axis;
        return sizes[role] ?? (sizes.at(-1) as number) + role;
      });
      const size = shape.reduce((product, d) => product * d, 1);
      return [name, { type, dims: shape, data: values(type, size, /mask/i.test(name) ? 1 : 0) }];
    }),
  );
}

/** The names of the batch's and the length's dimensions, as the inputs of ids spell them. */
function namedAxes(inputs: readonly ValueInfo[]): Map<Dimension, number> {
  const named = new Map<Dimension, number>();
  for (const { type, dims } of inputs) {
    if (type === DataType.float || dims === undefined || dims.length < 2) continue;
    dims.forEach((dim, axis) => {
      if (typeof dim === 'string' && !named.has(dim)) named.set(dim, axis);
    });
  }
  return named;
}

function values(type: number, size: number, value: number): Feed['data'] {
  if (type === DataType.int64) return new BigInt64Array(size).fill(BigInt(value));
  if (type === DataType.int32) return new Int32Array(size).fill(value);
  if (type === DataType.bool) return new Uint8Array(size).fill(value);
  if (type === DataType.double) return new Float64Array(size).fill(0.5);
  return new Float32Array(size).fill(value === 1 ? 1 : 0.5);
}
