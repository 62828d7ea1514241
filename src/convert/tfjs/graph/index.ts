/** @file A graph model of TF.js: a graph of TensorFlow, drawn node by node as an ONNX graph. */
import { GraphBuilder } from '../../../onnx/builder.js';
import type { Model } from '../../../onnx/model.js';
import { Tensor } from '../../../onnx/tensor.js';
import { malformed, unsupported, WITH_TF2ONNX } from '../refusal.js';
import type { TfjsWeight } from '../weights.js';
import { type GraphNode, keyOf, readGraph } from './graph-def.js';
import { drawInputs } from './inputs.js';
import { type DrawOp, OpCall } from './op-call.js';
import { ARITHMETIC } from './ops/arithmetic.js';
import { CONVOLUTION } from './ops/convolution.js';
import { LOOKUPS } from './ops/lookups.js';
import { PRODUCTS } from './ops/products.js';
import { REDUCTIONS } from './ops/reductions.js';
import { SHAPES } from './ops/shapes.js';
import { SLICES } from './ops/slices.js';
import { TensorNames } from './tensor-names.js';
import { CODES, type ElementType, followed, MOST_KNOWN, type TensorValue } from './value.js';

const OPS: Readonly<Record<string, DrawOp>> = {
  ...ARITHMETIC,
  ...CONVOLUTION,
  ...LOOKUPS,
  ...PRODUCTS,
  ...REDUCTIONS,
  ...SHAPES,
  ...SLICES,
};

/** Operators that run a part of the graph once or several times: LSTM and GRU are exported as such loops. */
const LOOPS =
  /^(Stateless)?(While|If|Case)$|^TensorList|^TensorArray|^(Enter|Exit|Merge|Switch|NextIteration|LoopCond)$|PartitionedCall$/;

/** Draws a graph model: every output that its signature names. Throws ModelError, for all unknown operators at once. */
export function drawGraph(
  path: string,
  json: Readonly<Record<string, unknown>>,
  weights: readonly TfjsWeight[],
): Model {
  const def = readGraph(path, json);
  refuseUnknown(path, def.nodes);
  const g = new GraphBuilder({ opset: 17, prefix: '#' });
  const names = new TensorNames(def.outputs.length === 1 ? ['logits'] : []);
  const values = drawInputs(g, path, def, names);
  const stored = new Map(weights.map((weight) => [weight.name, weight]));
  for (const node of def.nodes) {
    if (values.has(keyOf({ node: node.name, output: 0 }))) continue;
    const made = node.op === 'Const' ? constant(g, path, node, stored, names) : one(g, path, node, values);
    for (const [output, value] of [made].flat().entries()) values.set(keyOf({ node: node.name, output }), value);
  }
  for (const { key, tensor } of def.outputs) {
    const value = values.get(keyOf(tensor));
    if (value === undefined) throw malformed(path, `no output ${tensor.output} of "${tensor.node}"`);
    const name = def.outputs.length === 1 ? 'logits' : names.take(key);
    g.ops('Identity', [value.name], [name]);
    g.output(
      name,
      CODES[value.type],
      value.dims?.map((size, at) => (at === 0 && size === null ? 'batch' : size)),
    );
  }
  return g.model();
}

function refuseUnknown(path: string, nodes: readonly GraphNode[]): void {
  const known = (op: string) =>
    Object.hasOwn(OPS, op) || ['Const', 'Placeholder', 'PlaceholderWithDefault'].includes(op);
  const unknown = [...new Set(nodes.map(({ op }) => op).filter((op) => !known(op)))].sort();
  if (unknown.length === 0) return;
  const loops = unknown.some((op) => LOOPS.test(op));
  const layers =
    'Save the Keras model as a layers model (tensorflowjs_converter --output_format tfjs_layers_model): its LSTM and GRU are converted.';
  throw unsupported(
    path,
    'operators that can be converted',
    unknown.join(', '),
    loops ? `${layers} Or convert it to ONNX with tf2onnx, and name that file.` : WITH_TF2ONNX,
  );
}

function one(
  g: GraphBuilder,
  path: string,
  node: GraphNode,
  values: ReadonlyMap<string, TensorValue>,
): TensorValue | readonly TensorValue[] {
  const inputs = node.inputs.map((tensor) => {
    const value = values.get(keyOf(tensor));
    if (value === undefined)
      throw malformed(path, `no output ${tensor.output} of "${tensor.node}", which "${node.name}" reads`);
    return value;
  });
  const call = new OpCall(g, node, inputs);
  // An input that nobody feeds is what it is by default.
  if (node.op === 'PlaceholderWithDefault') return call.input(0);
  return OPS[node.op]!(call);
}

/** A weight comes into the graph when somebody asks for it. */
function constant(
  g: GraphBuilder,
  path: string,
  node: GraphNode,
  stored: ReadonlyMap<string, TfjsWeight>,
  names: TensorNames,
): TensorValue {
  const weight = stored.get(node.name);
  if (weight === undefined) throw malformed(path, `no weights of the constant "${node.name}"`);
  const { dims, values } = weight;
  const type: ElementType = values instanceof Float32Array ? 'float' : values instanceof Int32Array ? 'int' : 'bool';
  const numbers = type === 'int' && values.length <= MOST_KNOWN ? Array.from(values) : undefined;
  let name: string | undefined;
  const write = (): string => {
    const data = type === 'int' ? BigInt64Array.from(values, BigInt) : (values as Float32Array | Uint8Array);
    return g.shared(new Tensor({ name: names.take(node.name), type: CODES[type], dims, read: () => data }));
  };
  return {
    type,
    dims,
    known: followed(type, dims) ? numbers : undefined,
    numbers,
    get name() {
      name ??= type === 'int' && dims.length === 0 ? g.int(values[0]!) : write();
      return name;
    },
  };
}
