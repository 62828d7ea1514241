/** @file A model in training whose embeddings can be moved: the graph gets an input that is added to what it looks up. */
import { GraphBuilder } from '../../../packages/onnx/src/graph/builder.js';
import { DataType } from '../../../packages/onnx/src/graph/data-type.js';
import { renameIn, withGraph } from '../../../packages/onnx/src/graph/edit.js';
import { ModelError, must } from '../../core/errors.js';
import { lookupOf } from '../../gradient/white-box/lookup.js';
import type { TrainableModel } from '../trainable-model.js';

/** The input that is added to the embeddings, [batch, tokens, hidden]. */
export const DELTA = 'delta of the embeddings';

export interface Perturbable {
  /** As it was, with DELTA among its graph's inputs. */
  readonly trainable: TrainableModel;
  /** The moved embeddings: the loss's gradient by them is that by DELTA, and that by the looked-up rows. */
  readonly rows: string;
  readonly hidden: number;
  /** The embedding table, row-major [vocabulary, hidden]: changes as training does. */
  readonly table: Float32Array;
}

/** Throws ModelError, UnsupportedOpError where the graph does not look token ids up in one table. */
export function perturbable(trainable: TrainableModel): Perturbable {
  const { graph } = trainable.graph;
  const ids = trainable.inputs.find(({ role }) => role === 'ids');
  if (ids === undefined)
    throw new ModelError('adversarial training: expected a model of token ids, got one without', {
      code: 'EMBEDDINGS_UNSUPPORTED',
      hint: 'Its embeddings cannot be moved; augment:typos needs none.',
    });
  const { table, rows } = lookupOf(graph, ids.name);
  const hidden = must(table.dims[1]);
  const [batch = 'batch', length = 'sequence'] = graph.inputs.find(({ name }) => name === ids.name)?.dims ?? [];
  const g = new GraphBuilder({ base: trainable.graph });
  const delta = g.input(DELTA, DataType.float, [batch, length, hidden]);
  const moved = g.add(rows, delta);
  const [add] = g.take();
  const base = g.model();
  const names = new Map([[rows, moved]]);
  const nodes = base.graph.nodes.flatMap((node) =>
    add !== undefined && node.outputs.includes(rows) ? [node, add] : [renameIn(node, names)],
  );
  const parameter = trainable.parameters.find(({ name }) => name === table.name);
  const values = parameter?.values ?? table.floats();
  return {
    trainable: {
      ...trainable,
      graph: withGraph(base, { ...base.graph, nodes }),
      lookups: trainable.lookups.map((lookup) => (lookup.rows === rows ? { ...lookup, rows: moved } : lookup)),
    },
    rows: moved,
    hidden,
    table: values,
  };
}
