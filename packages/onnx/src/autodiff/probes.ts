/** @file Small made-up inputs of a graph, to see what its shapes depend on. */
import { must } from '../errors.js';
import { DataType } from '../graph/data-type.js';
import { type Dimension, feeds, type Graph, type ValueInfo } from '../graph/model.js';
import type { Feed } from '../graph/tensor.js';

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
 * masks 1, floats 0.5. Ids end with those that the graph looks for, in runs of different sizes differently often: the head of
 * BART reads the token at the last of its separators.
 */
export function probeFeeds(graph: Graph, sizes: RunDims): Map<string, Feed> {
  const inputs = feeds(graph);
  const named = namedAxes(inputs);
  return new Map(
    inputs.map(({ name, type, dims = [] }) => {
      const shape = dims.map((dim, axis) => {
        if (typeof dim === 'number' && dim > 0) return dim;
        const role = (typeof dim === 'string' ? named.get(dim) : undefined) ?? axis;
        return sizes[role] ?? must(sizes.at(-1)) + role;
      });
      const size = shape.reduce((product, d) => product * d, 1);
      const mask = /mask/i.test(name);
      const data = values(type, size, mask ? 1 : 0);
      const integers = data instanceof BigInt64Array || data instanceof Int32Array;
      const ends = comparedIds(graph, name).flatMap((id) => new Array<number>(sizes[0] - 1).fill(id));
      if (integers && !mask) endRows(data, shape.at(-1) ?? 1, ends);
      return [name, { type, dims: shape, data }];
    }),
  );
}

/** The constants that an input's ids are compared with. */
function comparedIds(graph: Graph, input: string): number[] {
  const same = new Set([input]);
  const found = new Set<number>();
  for (const { op, inputs, outputs } of graph.nodes) {
    if (op === 'Cast' && same.has(must(inputs[0]))) same.add(must(outputs[0]));
    if (op !== 'Equal' || !inputs.some((name) => same.has(name))) continue;
    const constants = inputs.flatMap((name) => graph.initializers.get(name) ?? []);
    for (const { size, data } of constants) if (size === 1) found.add(Number(data[0]));
  }
  return [...found].filter((id) => Number.isInteger(id) && id >= 0);
}

/** Overwrites the last values of each row. */
function endRows(data: BigInt64Array | Int32Array, length: number, last: readonly number[]): void {
  for (let end = length; end <= data.length; end += length) {
    last.slice(0, length).forEach((id, at) => {
      if (data instanceof BigInt64Array) data[end - 1 - at] = BigInt(id);
      else data[end - 1 - at] = id;
    });
  }
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
