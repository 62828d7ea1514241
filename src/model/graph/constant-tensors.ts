/** @file The tensors of a graph that are the same in every run: initializers, constants, and what is made of these alone by moving or widening. */
import { attributesOf } from '../../../packages/onnx/src/graph/attributes.js';
import { DataType } from '../../../packages/onnx/src/graph/data-type.js';
import type { Graph, Node } from '../../../packages/onnx/src/graph/model.js';
import { Tensor } from '../../../packages/onnx/src/graph/tensor.js';
import { transpose } from '../../../packages/onnx/src/graph/transposed.js';

export interface ConstantTensors {
  /** Is it the same in every run, as far as is looked? */
  has(name: string): boolean;
  /** Its values in single precision; undefined where they are no floating-point numbers, or not known. */
  floats(name: string): Tensor | undefined;
}

const FLOATS: readonly number[] = [DataType.float, DataType.float16];

/** Values are read when asked for. */
export function constantTensors({ initializers, nodes, inputs }: Graph): ConstantTensors {
  const made = new Map<string, Node>();
  for (const each of nodes) {
    const [output = ''] = each.outputs;
    if (each.domain === '' && MOVES.has(each.op)) made.set(output, each);
  }
  // An initializer that is an input too may be fed.
  const fed = new Set(inputs.map(({ name }) => name));
  const find = (name: string): Tensor | undefined => {
    const tensor = fed.has(name) ? undefined : initializers.get(name);
    const node = made.get(name);
    if (tensor !== undefined || node === undefined) return tensor;
    if (node.op === 'Constant') return attributesOf(node).tensor('value');
    const source = find(node.inputs[0] ?? '');
    return source && moveTensor(node, source);
  };
  return {
    has: (name) => find(name) !== undefined,
    floats(name) {
      const tensor = find(name);
      return tensor !== undefined && FLOATS.includes(tensor.type) ? tensor : undefined;
    },
  };
}

/** Result of an Identity, a Cast or a Transpose of a constant. */
function moveTensor(node: Node, source: Tensor): Tensor | undefined {
  if (node.op === 'Identity') return source;
  if (!FLOATS.includes(source.type)) return undefined;
  const { int, ints } = attributesOf(node);
  if (node.op === 'Cast') return int('to', 0) === DataType.float ? single(source) : undefined;
  const order = ints('perm') ?? [1, 0];
  return source.dims.length === 2 && order[0] === 1 && order[1] === 0 ? swapAxes(source) : undefined;
}

const MOVES: ReadonlySet<string> = new Set(['Constant', 'Identity', 'Cast', 'Transpose']);

const single = (tensor: Tensor): Tensor =>
  new Tensor({ name: tensor.name, type: DataType.float, dims: tensor.dims, read: () => tensor.floats() });

function swapAxes(tensor: Tensor): Tensor {
  const [rows, columns] = tensor.dims as [number, number];
  const read = () => transpose(tensor.floats(), rows, columns);
  return new Tensor({ name: tensor.name, type: DataType.float, dims: [columns, rows], read });
}
