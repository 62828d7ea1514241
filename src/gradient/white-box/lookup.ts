/** @file Where token ids become embeddings, and the graph from there on. */
import { UnsupportedOpError } from '../../core/errors.js';
import { DataType } from '../../onnx/data-type.js';
import { producers, prune, withGraph } from '../../onnx/edit.js';
import type { Dim, Graph, Model, Node } from '../../onnx/model.js';
import type { Tensor } from '../../onnx/tensor.js';

export interface Lookup {
  /** [vocabulary, hidden]. */
  readonly table: Tensor;
  /** The looked-up rows, [batch, tokens, hidden]. */
  readonly rows: string;
}

/** Operators that pass ids on as they are. */
const PASSING = new Set(['Cast', 'Identity']);

/** The lookup of the ids in input `ids`. Throws UnsupportedOpError unless there is exactly one. */
export function lookupOf(graph: Graph, ids: string): Lookup {
  const made = producers(graph);
  const source = (name: string): string => {
    const before = made.get(name);
    return before !== undefined && PASSING.has(before.op) ? source(before.inputs[0] as string) : name;
  };
  const isLookup = ({ op, domain, inputs: [table = ''], attributes }: Node): boolean => {
    const axis = attributes.get('axis');
    const first = axis === undefined || (axis.kind === 'int' && axis.value === 0);
    const tensor = graph.initializers.get(table);
    return op === 'Gather' && domain === '' && first && tensor?.dims.length === 2 && tensor.type === DataType.float;
  };
  const found = graph.nodes.filter((node) => isLookup(node) && source(node.inputs[1] as string) === ids);
  const [lookup] = found;
  if (lookup === undefined || found.length > 1) {
    throw new UnsupportedOpError(
      `expected one embedding lookup of "${ids}" to differentiate by, got ${found.length === 0 ? 'none' : found.length}`,
      {
        code: 'NO_EMBEDDINGS',
        hint: 'Gradients need a model that looks token ids up in a table; attacks without gradients run on any.',
      },
    );
  }
  return { table: graph.initializers.get(lookup.inputs[0] as string) as Tensor, rows: lookup.outputs[0] as string };
}

/** The model with the embeddings as an input instead of looked up, and what only the lookup needed gone. */
export function fromEmbeddings(model: Model, { table, rows }: Lookup, batch: Dim, tokens: Dim): Model {
  const { graph } = model;
  const input = { name: rows, type: DataType.float, dims: [batch, tokens, table.dims[1] as number] };
  return withGraph(
    model,
    prune({
      ...graph,
      nodes: graph.nodes.filter((node) => node.outputs[0] !== rows),
      inputs: [...graph.inputs, input],
    }),
  );
}
