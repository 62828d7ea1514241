/** @file Constant nodes become initializers, so that every constant is found in one place. */
import type { Graph, Node } from '../../graph/model.js';
import { Tensor } from '../../graph/tensor.js';

export function liftConstants(graph: Graph): Graph {
  const initializers = new Map(graph.initializers);
  const nodes = graph.nodes.filter((node) => {
    const [output] = node.outputs;
    if (node.op !== 'Constant' || node.domain !== '' || output === undefined) return true;
    const value = constantOf(node, output);
    if (value === undefined) return true;
    initializers.set(output, value);
    return false;
  });
  return nodes.length === graph.nodes.length ? graph : { ...graph, nodes, initializers };
}

/** The value of a Constant node; undefined for strings and sparse tensors, which no gradient meets. */
function constantOf(node: Node, name: string): Tensor | undefined {
  const [[key, attribute] = []] = node.attributes;
  if (key === 'value' && attribute?.kind === 'tensor') return attribute.value.withName(name);
  switch (attribute?.kind) {
    case 'float':
      return Tensor.of(name, [], Float32Array.of(attribute.value));
    case 'floats':
      return Tensor.of(name, [attribute.value.length], Float32Array.from(attribute.value));
    case 'int':
      return Tensor.of(name, [], BigInt64Array.of(BigInt(attribute.value)));
    case 'ints':
      return Tensor.of(name, [attribute.value.length], BigInt64Array.from(attribute.value, BigInt));
    default:
      return undefined;
  }
}
