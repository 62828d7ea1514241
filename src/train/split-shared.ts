/**
 * @file Parameters an exporter merged. PyTorch's exporter stores equal initializers once (all LayerNorm weights of an untrained
 * model are ones) and points to them through Identity nodes: trained as they are, different parameters would stay tied.
 */
import { DataType } from '../../packages/onnx/src/graph/data-type.js';
import { reads, renameIn } from '../../packages/onnx/src/graph/edit.js';
import type { Graph, Node } from '../../packages/onnx/src/graph/model.js';
import { Tensor } from '../../packages/onnx/src/graph/tensor.js';

/**
 * The graph with an initializer of its own for every parameter. Split are initializers whose elements are all equal:
 * - an Identity of one becomes a copy named as its output;
 * - of a vector that several nodes read each further reader gets a copy.
 * Others that several nodes read, through an Identity or not, stay one: two parameters drawn apart are never equal to the bit, so
 * that the sharing is the model's (ALBERT's layers, tied embeddings).
 */
export function splitShared(graph: Graph): Graph {
  const initializers = new Map(graph.initializers);
  /** Name that an Identity gave -> the initializer's. */
  const aliases = new Map<string, string>();
  const kept = graph.nodes.filter((node) => {
    const name = aliases.get(node.inputs[0] ?? '') ?? node.inputs[0] ?? '';
    const original = initializers.get(name);
    const [copy] = node.outputs;
    if (node.op !== 'Identity' || node.domain !== '' || original === undefined || copy === undefined) return true;
    if (graph.outputs.some((output) => output.name === copy)) return true;
    if (uniform(original)) initializers.set(copy, duplicate(original, copy));
    else aliases.set(copy, name);
    return false;
  });
  const read = new Set<string>();
  const nodes = kept.map((node): Node => {
    const names = new Map<string, string>();
    for (const name of new Set(reads(node))) {
      const alias = aliases.get(name);
      if (alias !== undefined) names.set(name, alias);
      const tensor = initializers.get(name);
      if (tensor === undefined || tensor.dims.length !== 1 || !uniform(tensor)) continue;
      if (read.has(name)) {
        const copy = freeName(initializers, name);
        initializers.set(copy, duplicate(tensor, copy));
        names.set(name, copy);
      }
      read.add(name);
    }
    return names.size === 0 ? node : renameIn(node, names);
  });
  return { ...graph, nodes, initializers };
}

const duplicate = (tensor: Tensor, name: string): Tensor => Tensor.of(name, tensor.dims, tensor.data, tensor.type);

/** Whether a tensor holds real numbers, all of them equal. */
function uniform(tensor: Tensor): boolean {
  const real = tensor.type === DataType.float || tensor.type === DataType.float16 || tensor.type === DataType.bfloat16;
  if (!real || tensor.size < 2) return false;
  const [first] = tensor.data;
  return tensor.data.every((value: number | bigint) => value === first);
}

function freeName(taken: ReadonlyMap<string, Tensor>, name: string): string {
  for (let i = 2; ; i++) if (!taken.has(`${name}_${i}`)) return `${name}_${i}`;
}
