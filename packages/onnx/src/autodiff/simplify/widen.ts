/**
 * @file 16-bit models at single precision. Weights are widened exactly; what the file computes at 16 bits is computed at 32,
 * so gradients are those of the function the rounding approximates.
 */
import { attributesOf } from '../../graph/attributes.js';
import { DataType } from '../../graph/data-type.js';
import type { Attribute, Graph, Node, ValueInfo } from '../../graph/model.js';
import { Tensor } from '../../graph/tensor.js';

const narrow = (type: number): boolean => type === DataType.float16 || type === DataType.bfloat16;

const single = (tensor: Tensor): Tensor =>
  narrow(tensor.type) ? Tensor.of(tensor.name, tensor.dims, tensor.floats()) : tensor;

export function widen(graph: Graph): Graph {
  const info = (value: ValueInfo): ValueInfo =>
    narrow(value.type) ? { name: value.name, type: DataType.float, dims: value.dims } : value;
  const initializers = new Map(Array.from(graph.initializers, ([name, tensor]) => [name, single(tensor)] as const));
  const nodes = graph.nodes.map(widenNode).filter((node) => {
    // A weight stored at 16 bits and widened by a Cast is that weight, under the name it is used by.
    const weight = initializers.get(node.inputs[0] ?? '');
    const [output] = node.outputs;
    if (node.op !== 'Cast' || weight?.type !== DataType.float || output === undefined) return true;
    if (attributesOf(node).int('to', 0) !== DataType.float || graph.outputs.some(({ name }) => name === output))
      return true;
    initializers.set(output, Tensor.of(output, weight.dims, weight.data));
    return false;
  });
  return { ...graph, nodes, initializers, inputs: graph.inputs.map(info), outputs: graph.outputs.map(info) };
}

/** Casts to 16 bits go to 32, constants within attributes are widened. */
function widenNode(node: Node): Node {
  const changed = new Map<string, Attribute>();
  for (const [key, attribute] of node.attributes) {
    const type = key === 'to' || key === 'dtype';
    if (type && attribute.kind === 'int' && narrow(attribute.value)) {
      changed.set(key, { kind: 'int', value: DataType.float });
    }
    if (attribute.kind === 'tensor' && narrow(attribute.value.type)) {
      changed.set(key, { kind: 'tensor', value: single(attribute.value) });
    }
  }
  return changed.size === 0 ? node : { ...node, attributes: new Map([...node.attributes, ...changed]) };
}
