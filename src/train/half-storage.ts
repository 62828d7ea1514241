/**
 * @file Weights kept as half precision and widened by a Cast in the graph: half the file, the same arithmetic. Written
 * where asked for, and undone before training, because small steps would vanish in half precision.
 */
import { attributesOf } from '../../packages/onnx/src/graph/attributes.js';
import { DataType } from '../../packages/onnx/src/graph/data-type.js';
import type { Graph, Model, Node } from '../../packages/onnx/src/graph/model.js';
import { Tensor } from '../../packages/onnx/src/graph/tensor.js';
import { floatToHalf } from '../../packages/onnx/src/half.js';

const suffix = '.half';

/** The named single-precision initialisers stored in half precision; each is computed by a Cast under its old name. */
export function withHalfPrecision(model: Model, names: Iterable<string>): Model {
  const initializers = new Map(model.graph.initializers);
  const casts: Node[] = [];
  for (const name of names) {
    const tensor = initializers.get(name)!;
    const bits = Uint16Array.from(tensor.floats(), floatToHalf);
    initializers.delete(name);
    initializers.set(name + suffix, Tensor.of(name + suffix, tensor.dims, bits, DataType.float16));
    casts.push({
      op: 'Cast',
      domain: '',
      name: `${name}.cast`,
      inputs: [name + suffix],
      outputs: [name],
      attributes: new Map([['to', { kind: 'int', value: DataType.float }]]),
    });
  }
  return { ...model, graph: { ...model.graph, initializers, nodes: [...casts, ...model.graph.nodes] } };
}

/** The reverse: half-precision initialisers that a Cast widens become single-precision ones, named as the Cast's output. */
export function withSinglePrecision(model: Model): { readonly model: Model; readonly names: readonly string[] } {
  const { graph } = model;
  const initializers = new Map(graph.initializers);
  const names: string[] = [];
  const nodes = graph.nodes.filter((node) => {
    const tensor = initializers.get(node.inputs[0] ?? '');
    const [output = ''] = node.outputs;
    if (!widens(node) || tensor?.type !== DataType.float16 || readers(graph, tensor.name) > 1) return true;
    initializers.delete(tensor.name);
    initializers.set(output, Tensor.of(output, tensor.dims, tensor.floats()));
    names.push(output);
    return false;
  });
  return { model: { ...model, graph: { ...graph, nodes, initializers } }, names };
}

const widens = (node: Node): boolean => node.op === 'Cast' && attributesOf(node).int('to', 0) === DataType.float;

const readers = (graph: Graph, name: string): number =>
  graph.nodes.filter(({ inputs }) => inputs.includes(name)).length;
