/**
 * @file Shapes by observation: instead of inferring how every operator transforms every shape, run the graph on two small
 * inputs of different sizes and look. Dimensions that agree are fixed, the others depend on the input.
 */
import { ModelError } from '../core/errors.js';
import { DataType } from '../onnx/data-type.js';
import { embedded, withGraph, withOutputs } from '../onnx/edit.js';
import type { Model } from '../onnx/model.js';
import { writeModel } from '../onnx/write.js';
import type { Feed } from './engine.js';
import { PROBES, probeFeeds } from './probes.js';
import { Session } from './session.js';

/** A dimension that depends on the input. */
export const DYNAMIC = -1;

export interface Observed {
  /** Differentiable: single-precision numbers. */
  readonly float: boolean;
  readonly dims: readonly number[];
}

/** Every tensor of a graph, by name. */
export type Shapes = ReadonlyMap<string, Observed>;

/** Two runs whose dynamic dimensions all differ. */
export type Probes = readonly [ReadonlyMap<string, Feed>, ReadonlyMap<string, Feed>];

/**
 * What every tensor of a graph looks like. Costs one session without optimisation and two small runs. Without `probes`
 * they are made up from the declared inputs. Throws ModelError where the graph cannot be run.
 */
export async function observe(model: Model, probes?: Probes): Promise<Shapes> {
  const names = model.graph.nodes.flatMap((node) => node.outputs.filter(Boolean));
  const exposed = withOutputs(embedded(model.graph), names);
  const session = await Session.open(writeModel(withGraph(model, exposed)), { optimise: false });
  const made = PROBES.map((pair): Probes => [probeFeeds(model.graph, pair[0]), probeFeeds(model.graph, pair[1])]);
  try {
    let failure: unknown;
    for (const pair of probes === undefined ? made : [probes]) {
      try {
        return await look(session, model, pair);
      } catch (error) {
        if (!(error instanceof ModelError)) throw error;
        failure = error;
      }
    }
    throw failure;
  } finally {
    await session.release();
  }
}

async function look(session: Session, model: Model, probes: Probes): Promise<Shapes> {
  const shapes = new Map<string, Observed>();
  const note = (name: string, float: boolean, dims: readonly number[]) => {
    const before = shapes.get(name)?.dims ?? dims;
    shapes.set(name, { float, dims: dims.map((d, i) => (d === before[i] ? d : DYNAMIC)) });
  };
  for (const feeds of probes) {
    for (const [name, { type, dims }] of feeds) note(name, type === DataType.float, dims);
    for (const [name, { type, dims }] of await session.runAll(feeds)) note(name, type === 'float32', dims);
  }
  for (const { name, type, dims } of model.graph.initializers.values()) note(name, type === DataType.float, dims);
  return shapes;
}
