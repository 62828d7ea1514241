/**
 * @file Parameters an exporter merged. PyTorch's exporter stores equal initializers once (all LayerNorm weights of an untrained
 * model are ones) and points to them through Identity nodes: trained as they are, different parameters would stay tied.
 */
import { renameIn } from './edit.js';
import type { Graph, Node } from './model.js';
import { Tensor } from './tensor.js';

/**
 * The graph with an initializer of its own for every parameter. Split are
 * - an Identity of an initializer, always: it becomes a copy named as its output;
 * - a vector whose elements are all equal and that several nodes read: each further reader gets a copy.
 * Any other initializer that several nodes read is kept whole: there the sharing is the model's (ALBERT's layers, tied embeddings).
 */
export function splitShared(graph: Graph): Graph {
  const initializers = new Map(graph.initializers);
  const kept = graph.nodes.filter((node) => {
    const original = initializers.get(node.inputs[0] ?? '');
    const [copy] = node.outputs;
    if (node.op !== 'Identity' || node.domain !== '' || original === undefined || copy === undefined) return true;
    if (graph.outputs.some((output) => output.name === copy)) return true;
    initializers.set(copy, duplicate(original, copy));
    return false;
  });
  const read = new Set<string>();
  const nodes = kept.map((node): Node => {
    const names = new Map<string, string>();
    for (const name of new Set(node.inputs)) {
      const tensor = initializers.get(name);
      if (tensor === undefined || !uniformVector(tensor)) continue;
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

function uniformVector(tensor: Tensor): boolean {
  if (tensor.dims.length !== 1 || tensor.size < 2 || !(tensor.data instanceof Float32Array)) return false;
  const [first] = tensor.data;
  return tensor.data.every((value) => value === first);
}

function freeName(taken: ReadonlyMap<string, Tensor>, name: string): string {
  for (let i = 2; ; i++) if (!taken.has(`${name}_${i}`)) return `${name}_${i}`;
}
