/** @file Where a graph looks the ids of an input up in a table: rows of a matrix, one an id. */
import { must } from '../errors.js';
import { attributesOf } from './attributes.js';
import { DataType } from './data-type.js';
import { producers } from './edit.js';
import type { Graph } from './model.js';
import { isCopy } from './operators/index.js';
import type { Tensor } from './tensor.js';

export interface EmbeddingLookup {
  /** The input that holds the ids. */
  readonly input: string;
  /** [vocabulary, width], single precision. */
  readonly table: Tensor;
  /** The looked-up rows, [batch, tokens, width]. */
  readonly rows: string;
}

/** Every such lookup, in graph order. */
export function embeddingLookups(graph: Graph): EmbeddingLookup[] {
  const made = producers(graph);
  const inputs = new Set(graph.inputs.map(({ name }) => name));
  const source = (name: string): string => {
    const before = made.get(name);
    return before !== undefined && isCopy(before) ? source(must(before.inputs[0])) : name;
  };
  return graph.nodes.flatMap((node) => {
    const [table = '', ids = ''] = node.inputs;
    if (node.op !== 'Gather' || node.domain !== '') return [];
    const tensor = graph.initializers.get(table);
    const input = source(ids);
    if (tensor?.dims.length !== 2 || tensor.type !== DataType.float || !inputs.has(input)) return [];
    if (attributesOf(node).int('axis', 0) !== 0) return [];
    return [{ input, table: tensor, rows: must(node.outputs[0]) }];
  });
}
