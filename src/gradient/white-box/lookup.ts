/** @file Where token ids become embeddings, and the graph from there on. */
import { DataType } from '../../../packages/onnx/src/graph/data-type.js';
import { prune, withGraph } from '../../../packages/onnx/src/graph/edit.js';
import { type EmbeddingLookup, embeddingLookups } from '../../../packages/onnx/src/graph/embedding-lookups.js';
import type { Dimension, Graph, Model } from '../../../packages/onnx/src/graph/model.js';
import { must, UnsupportedOpError } from '../../core/errors.js';

/** The lookup of the ids in input `ids`. Throws UnsupportedOpError unless there is exactly one. */
export function lookupOf(graph: Graph, ids: string): EmbeddingLookup {
  const found = embeddingLookups(graph).filter(({ input }) => input === ids);
  const [lookup] = found;
  if (lookup !== undefined && found.length === 1) return lookup;
  throw new UnsupportedOpError(
    `expected one embedding lookup of "${ids}" to differentiate by, got ${found.length === 0 ? 'none' : found.length}`,
    {
      code: 'EMBEDDINGS_UNSUPPORTED',
      hint: 'Gradients need a model that looks token ids up in a table; attacks without gradients run on any.',
    },
  );
}

/** The model with the embeddings as an input instead of looked up, and what only the lookup needed gone. */
export function fromEmbeddings(
  model: Model,
  { table, rows }: Pick<EmbeddingLookup, 'table' | 'rows'>,
  batch: Dimension,
  tokens: Dimension,
): Model {
  const { graph } = model;
  const input = { name: rows, type: DataType.float, dims: [batch, tokens, must(table.dims[1])] };
  return withGraph(
    model,
    prune({
      ...graph,
      nodes: graph.nodes.filter((node) => node.outputs[0] !== rows),
      inputs: [...graph.inputs, input],
    }),
  );
}
