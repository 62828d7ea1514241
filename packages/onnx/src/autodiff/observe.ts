/**
 * @file Shapes by observation: instead of inferring how every operator transforms every shape, run the graph on two small
 * inputs of different sizes and look. Dimensions that agree are fixed, the others depend on the input.
 */
import { DataType } from '../graph/data-type.js';
import { embedded, users, withGraph, withOutputs } from '../graph/edit.js';
import { feeds, type Graph, type Model, type Node, node } from '../graph/model.js';
import { type Feed, Tensor } from '../graph/tensor.js';
import { writeModel } from '../graph/write.js';
import { PROBES, probeFeeds } from './probes.js';
import { DYNAMIC, type ObservedTensors, type Shapes } from './shapes.js';

/** Elements from which on a weight counts as large. */
const LARGE_WEIGHT_ELEMENTS = 1024;
/** Rows of a made-up table. */
const DUMMY_TABLE_ROWS = 1024;

/** Two runs whose dynamic dimensions all differ. */
export type Probes = readonly [ReadonlyMap<string, Feed>, ReadonlyMap<string, Feed>];

/** Opens the file of a graph, none of whose tensors may be optimised away. */
export type OpenGraph = (file: Uint8Array) => Promise<OpenedGraph>;

interface OpenedGraph {
  /** All outputs by name, of type 0 where they cannot be fed. */
  run(feeds: ReadonlyMap<string, Feed>): Promise<ReadonlyMap<string, Feed>>;
  release(): Promise<void>;
}

/**
 * Type and shape of every tensor of a graph. Takes one session and two small runs. Without `probes`, inputs are made up from the declared
 * ones. Throws what `open` and the runs throw if the graph cannot be run.
 */
export async function observe(model: Model, open: OpenGraph, probes?: Probes): Promise<Shapes> {
  const names = model.graph.nodes.flatMap((node) => node.outputs.filter(Boolean));
  const exposed = withOutputs(withoutWeights(model), names);
  const session = await open(writeModel(withGraph(model, exposed)));
  const made = PROBES.map((pair): Probes => [probeFeeds(model.graph, pair[0]), probeFeeds(model.graph, pair[1])]);
  try {
    let failure: unknown;
    for (const pair of probes === undefined ? made : [probes]) {
      try {
        return await look(session, model, pair);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  } finally {
    await session.release();
  }
}

/**
 * A light copy: shapes do not depend on weights, so the graph itself generates large ones, equal shapes once. A lookup table keeps only the
 * rows that the probes' ids and positions need.
 */
function withoutWeights({ graph }: Model): Graph {
  const initializers = new Map(graph.initializers);
  const readers = users(graph);
  const isTable = (name: string) =>
    (readers.get(name) ?? []).every((reader) => reader.op === 'Gather' && reader.inputs[1] !== name);
  const made: Node[] = [];
  for (const [name, { type, size, dims }] of graph.initializers) {
    if (type !== DataType.float || size < LARGE_WEIGHT_ELEMENTS) continue;
    const sizes = isTable(name) ? dims.with(0, Math.min(dims[0]!, DUMMY_TABLE_ROWS)) : dims;
    const [shape, filled] = [`shape ${sizes}`, `filled ${sizes}`];
    if (!initializers.has(shape)) {
      initializers.set(shape, Tensor.of(shape, [sizes.length], BigInt64Array.from(sizes, BigInt)));
      const value = { kind: 'tensor', value: Tensor.of('', [1], Float32Array.of(0.01)) } as const;
      made.push(node('ConstantOfShape', [shape], filled, { value }));
    }
    initializers.delete(name);
    made.push(node('Identity', [filled], name));
  }
  return embedded({ ...graph, inputs: feeds(graph), initializers, nodes: [...made, ...graph.nodes] });
}

async function look(session: OpenedGraph, model: Model, probes: Probes): Promise<Shapes> {
  const shapes = new Map<string, ObservedTensors>();
  const note = (name: string, type: number, dims: readonly number[]) => {
    const before = shapes.get(name)?.dims ?? dims;
    shapes.set(name, { type, dims: dims.map((d, i) => (d === before[i] ? d : DYNAMIC)) });
  };
  for (const feeds of probes) {
    for (const [name, { type, dims }] of feeds) note(name, type, dims);
    for (const [name, { type, dims }] of await session.run(feeds)) note(name, type, dims);
  }
  for (const { name, type, dims } of model.graph.initializers.values()) note(name, type, dims);
  return shapes;
}
