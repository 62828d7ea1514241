/** @file Changes to a graph, each a new graph. */
import { getOrCompute } from '../get-or-compute.js';
import { type Attribute, type Graph, type Model, type Node, subgraphs, type ValueInfo } from './model.js';
import { Tensor } from './tensor.js';

/** Tensor -> the node that makes it. */
export function producers(graph: Graph): Map<string, Node> {
  return new Map(graph.nodes.flatMap((node) => node.outputs.filter(Boolean).map((name) => [name, node] as const)));
}

/** Every tensor of its own graph that a node reads, those its subgraphs capture included. */
export function reads(node: Node): string[] {
  return [...node.inputs.filter(Boolean), ...subgraphs(node).flatMap(captured)];
}

/** The names a graph uses but does not define. */
function captured(graph: Graph): string[] {
  const own = new Set([...graph.inputs.map((input) => input.name), ...graph.initializers.keys()]);
  for (const node of graph.nodes) for (const output of node.outputs) own.add(output);
  const used = [...graph.nodes.flatMap(reads), ...graph.outputs.map((output) => output.name)];
  return used.filter((name) => !own.has(name));
}

/** Tensor -> the nodes that read it. */
export function users(graph: Graph): Map<string, Node[]> {
  const all = new Map<string, Node[]>();
  for (const node of graph.nodes) {
    for (const name of new Set(reads(node))) getOrCompute(all, name, () => []).push(node);
  }
  return all;
}

/** A graph and all graphs within its nodes. */
export function everyGraph(graph: Graph): Graph[] {
  return [graph, ...graph.nodes.flatMap((node) => subgraphs(node).flatMap(everyGraph))];
}

/** A graph's nodes and those of its subgraphs. */
export const everyNode = (graph: Graph): Node[] => everyGraph(graph).flatMap(({ nodes }) => nodes);

/** The tensors that nodes of a graph hold as attributes. */
export const constants = ({ nodes }: Graph): Tensor[] =>
  nodes.flatMap(({ attributes }) =>
    Array.from(attributes.values()).flatMap((attribute) => (attribute.kind === 'tensor' ? [attribute.value] : [])),
  );

/** All tensors that a graph stores, without those of its subgraphs. */
export const tensors = (graph: Graph): Tensor[] => [...graph.initializers.values(), ...constants(graph)];

/** The model with another graph. */
export function withGraph(model: Model, graph: Graph): Model {
  return { ...model, graph };
}

/** The graph with these outputs only: tensors of any kind, intermediates included. Types are left to the runtime where unknown. */
export function withOutputs(graph: Graph, names: readonly string[]): Graph {
  const known = new Map<string, ValueInfo>(
    [...graph.valueInfos, ...graph.inputs, ...graph.outputs].map((info) => [info.name, info]),
  );
  return { ...graph, outputs: names.map((name) => known.get(name) ?? { name, type: 0 }) };
}

/** The graph with some initializers replaced, by name. Throws RangeError for a name it has not. */
export function withInitializers(graph: Graph, tensors: Iterable<Tensor>): Graph {
  const initializers = new Map(graph.initializers);
  for (const tensor of tensors) {
    if (!initializers.has(tensor.name)) throw new RangeError(`the graph has no initializer "${tensor.name}"`);
    initializers.set(tensor.name, tensor);
  }
  return { ...graph, initializers };
}

/** The graph with some initializers turned into inputs, so that every run brings its own values. */
export function initializersToInputs(graph: Graph, names: readonly string[]): Graph {
  const initializers = new Map(graph.initializers);
  const declared = new Set(graph.inputs.map((input) => input.name));
  const inputs = [...graph.inputs];
  for (const name of names) {
    const tensor = initializers.get(name);
    if (tensor === undefined) throw new RangeError(`the graph has no initializer "${name}"`);
    initializers.delete(name);
    if (!declared.has(name)) inputs.push({ name, type: tensor.type, dims: tensor.dims });
  }
  return { ...graph, initializers, inputs };
}

/** The graph with tensors renamed wherever they are made or read. */
export function renameTensors(graph: Graph, names: ReadonlyMap<string, string>): Graph {
  const rename = (name: string): string => names.get(name) ?? name;
  const info = (value: ValueInfo): ValueInfo =>
    names.has(value.name) ? { name: rename(value.name), type: value.type, dims: value.dims } : value;
  return {
    ...graph,
    nodes: graph.nodes.map((node) => renameIn(node, names)),
    initializers: new Map(
      Array.from(graph.initializers, ([name, tensor]) =>
        names.has(name) ? [rename(name), tensor.withName(rename(name))] : [name, tensor],
      ),
    ),
    inputs: graph.inputs.map(info),
    outputs: graph.outputs.map(info),
    valueInfos: graph.valueInfos.map(info),
  };
}

/** The node with tensors renamed; the same object where it names none of them. */
export function renameIn(node: Node, names: ReadonlyMap<string, string>): Node {
  const touched = [...node.outputs, ...reads(node)].some((name) => names.has(name));
  if (!touched) return node;
  const rename = (name: string): string => names.get(name) ?? name;
  const attributes = new Map<string, Attribute>();
  for (const [key, attribute] of node.attributes) attributes.set(key, renameCaptured(attribute, names));
  return { ...node, inputs: node.inputs.map(rename), outputs: node.outputs.map(rename), attributes };
}

/** Renames what subgraphs capture; a name they define themselves hides the outer one. */
function renameCaptured(attribute: Attribute, names: ReadonlyMap<string, string>): Attribute {
  const inside = (graph: Graph): Graph => {
    const outer = new Set(captured(graph));
    const visible = new Map(Array.from(names).filter(([name]) => outer.has(name)));
    return visible.size === 0 ? graph : renameTensors(graph, visible);
  };
  if (attribute.kind === 'graph') return { kind: 'graph', value: inside(attribute.value) };
  if (attribute.kind === 'graphs') return { kind: 'graphs', value: attribute.value.map(inside) };
  return attribute;
}

/** The graph with every initializer's values inside the file, for a model that leaves its data files behind. */
export function embedded(graph: Graph): Graph {
  const outside = Array.from(graph.initializers.values()).filter((tensor) => tensor.external !== undefined);
  if (outside.length === 0) return graph;
  return withInitializers(
    graph,
    outside.map((tensor) => Tensor.of(tensor.name, tensor.dims, tensor.data, tensor.type)),
  );
}

/** The graph without the nodes, initializers and inputs that none of its outputs depends on. */
export function prune(graph: Graph): Graph {
  const needed = new Set(graph.outputs.map((output) => output.name));
  const nodes = graph.nodes.toReversed().filter((node) => {
    if (!node.outputs.some((name) => needed.has(name))) return false;
    for (const name of reads(node)) needed.add(name);
    return true;
  });
  return {
    ...graph,
    nodes: nodes.reverse(),
    initializers: new Map(Array.from(graph.initializers).filter(([name]) => needed.has(name))),
    inputs: graph.inputs.filter((input) => needed.has(input.name)),
    valueInfos: graph.valueInfos.filter((info) => needed.has(info.name)),
  };
}
