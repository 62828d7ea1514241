/** @file A graph of TensorFlow as JSON (tensorflow/core/framework: graph.proto, node_def.proto, attr_value.proto), its nodes in an order to run. */
import { isObject, type JsonObject } from '../../../core/json.js';
import { malformed } from '../refusal.js';
import { NodeAttributes } from './node-attributes.js';

export interface GraphNode {
  readonly name: string;
  /** "MatMul" */
  readonly op: string;
  /** The tensors it reads. */
  readonly inputs: readonly TensorKey[];
  readonly attributes: NodeAttributes;
}

/** One output of a node. */
export interface TensorKey {
  readonly node: string;
  readonly output: number;
}

/** A tensor that goes in or comes out, and what the signature calls it. */
interface NamedTensor {
  readonly key: string;
  readonly tensor: TensorKey;
}

export interface GraphDef {
  /** Nodes that an output needs, in topological order. */
  readonly nodes: readonly GraphNode[];
  /** Node -> what the signature calls it. */
  readonly inputKeys: ReadonlyMap<string, string>;
  readonly outputs: readonly NamedTensor[];
}

export const keyOf = ({ node, output }: TensorKey): string => `${node}:${output}`;

/** Throws ModelError where the file is malformed, or has a cycle. */
export function readGraph(path: string, json: JsonObject): GraphDef {
  const topology = objectOf(json.modelTopology);
  if (!Array.isArray(topology.node) || topology.node.length === 0)
    throw malformed(path, 'no list of nodes under modelTopology');
  const nodes = new Map<string, GraphNode>();
  for (const each of topology.node) {
    const node = nodeOf(path, each);
    if (nodes.has(node.name)) throw malformed(path, `two nodes "${node.name}"`);
    nodes.set(node.name, node);
  }
  const signature = objectOf(json.signature ?? objectOf(json.userDefinedMetadata).signature);
  const signed = namedTensors(path, signature.outputs);
  const outputs = signed.length > 0 ? signed : unread([...nodes.values()]);
  return {
    nodes: inOrder(path, nodes, outputs),
    inputKeys: new Map(namedTensors(path, signature.inputs).map(({ key, tensor }) => [tensor.node, key])),
    outputs,
  };
}

const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

function nodeOf(path: string, value: unknown): GraphNode {
  const { name, op, input = [], attr } = objectOf(value);
  if (typeof name !== 'string' || name === '' || typeof op !== 'string')
    throw malformed(path, `a node without name or op: ${JSON.stringify(value)?.slice(0, 100)}`);
  if (!Array.isArray(input) || !input.every((each) => typeof each === 'string'))
    throw malformed(path, `inputs of "${name}" that are no list of names`);
  // "^name" says only that the other runs first.
  const inputs = input.filter((each) => !each.startsWith('^')).map((each) => tensorOf(path, each));
  return { name, op, inputs, attributes: new NodeAttributes(objectOf(attr), `${path}: ${op} "${name}"`) };
}

/** "name" or "name:1" */
function tensorOf(path: string, text: string): TensorKey {
  const [, node, output = '0'] = /^([^:]+)(?::(\d{1,4}))?$/.exec(text) ?? [];
  if (node === undefined) throw malformed(path, `a tensor called "${text.slice(0, 100)}"`);
  return { node, output: Number(output) };
}

function namedTensors(path: string, entries: unknown): NamedTensor[] {
  return Object.entries(objectOf(entries)).map(([key, value]) => {
    const { name } = objectOf(value);
    if (typeof name !== 'string') throw malformed(path, `no tensor for "${key}" in the signature`);
    return { key, tensor: tensorOf(path, name) };
  });
}

/** Without a signature: what no other node reads. */
function unread(nodes: readonly GraphNode[]): NamedTensor[] {
  const read = new Set(nodes.flatMap(({ inputs }) => inputs.map(({ node }) => node)));
  return nodes
    .filter(({ name, op }) => !read.has(name) && !['Const', 'NoOp', 'Placeholder'].includes(op))
    .map(({ name }) => ({ key: name, tensor: { node: name, output: 0 } }));
}

function inOrder(path: string, nodes: ReadonlyMap<string, GraphNode>, outputs: readonly NamedTensor[]): GraphNode[] {
  const ordered: GraphNode[] = [];
  const state = new Map<string, 'open' | 'done'>();
  // A stack of our own: a graph may be deeper than the call stack.
  const stack = outputs.map(({ tensor }) => tensor.node).reverse();
  for (let name = stack.at(-1); name !== undefined; name = stack.at(-1)) {
    const node = nodes.get(name);
    if (node === undefined) throw malformed(path, `no node "${name}", which is read`);
    if (state.has(name)) {
      if (state.get(name) === 'open') ordered.push(node);
      state.set(name, 'done');
      stack.pop();
      continue;
    }
    state.set(name, 'open');
    const before = node.inputs.map((input) => input.node);
    const open = before.find((each) => state.get(each) === 'open');
    if (open !== undefined) throw malformed(path, `a cycle through "${open}"`);
    for (const each of before) if (!state.has(each)) stack.push(each);
  }
  return ordered;
}
