/**
 * @file Determines whether a graph looks its input up as ids or computes with it as numbers. Confusing the two gives meaningless answers.
 */
import { attributesOf } from '../../../packages/onnx/src/graph/attributes.js';
import { users } from '../../../packages/onnx/src/graph/edit.js';
import { type Graph, type Node, subgraphs } from '../../../packages/onnx/src/graph/model.js';
import { keepsOrder, operatorOf } from '../../../packages/onnx/src/graph/operators/index.js';

/** Operators that compute with ids and still hold ids; so do those that only move them. */
const KEEPING = new Set(['Clip', 'Min', 'Max', 'Add', 'Sub', 'Mul', 'Mod', 'Floor', 'Round']);

const keepsIds = (node: Node): boolean => KEEPING.has(node.op) || operatorOf(node)?.moves !== undefined;

const KNOWN_DOMAINS = new Set(['', 'ai.onnx', 'ai.onnx.ml', 'com.microsoft']);

/** Does what `input` holds reach a look-up as ids? True, too, where it enters operators nobody knows. */
export function reachesLookup(graph: Graph, input: string): boolean {
  return follow(graph, input, keepsIds, (node, name) => {
    if (!KNOWN_DOMAINS.has(node.domain) || subgraphs(node).length > 0) return true;
    const place = operatorOf(node)?.looksUp;
    if (place !== undefined && node.inputs[place] === name) return true;
    // Compared with a list of ids, one by one: a one-hot row.
    const others = node.inputs.filter((other) => other !== name);
    return node.op === 'Equal' && others.some((other) => (graph.initializers.get(other)?.size ?? 0) > 1);
  });
}

const keepsColumns = (node: Node): boolean => keepsOrder(node) || ['Scaler', 'Normalizer'].includes(node.op);

/** Number of columns that the first operation on `input` takes, and where it is stated; undefined if the graph does not determine it. */
export function inputColumns(graph: Graph, input: string): { columns: number; by: string; least?: true } | undefined {
  let taken: { columns: number; by: string; least?: true } | undefined;
  follow(graph, input, keepsColumns, (node) => {
    taken = columnsOf(graph, node);
    return taken !== undefined;
  });
  return taken;
}

function columnsOf(graph: Graph, node: Node): { columns: number; by: string; least?: true } | undefined {
  const by = node.op;
  const dims = graph.initializers.get(node.inputs[1] ?? '')?.dims;
  const widthOf = (columns: number | undefined) =>
    columns === undefined || !(columns > 0) ? undefined : { columns, by };
  const { floats, int, ints } = attributesOf(node);
  const length = (name: string) => floats(name)?.length ?? 0;
  switch (by) {
    case 'MatMul':
      return widthOf(dims?.at(-2));
    case 'Gemm':
      return widthOf(dims?.[int('transB', 0) === 0 ? 0 : 1]);
    case 'Scaler':
      return Math.max(length('offset'), length('scale')) > 1
        ? widthOf(Math.max(length('offset'), length('scale')))
        : undefined;
    case 'LinearClassifier':
      return widthOf(length('coefficients') / length('intercepts'));
    case 'TreeEnsembleClassifier': {
      const highest = (ints('nodes_featureids') ?? []).reduce((most, id) => Math.max(most, id), -1);
      return highest < 0 ? undefined : { columns: highest + 1, by, least: true };
    }
    default:
      return undefined;
  }
}

/** Walks from a tensor through operators that keep what it holds; stops where `reached` says so. */
function follow(
  graph: Graph,
  from: string,
  keeps: (node: Node) => boolean,
  reached: (node: Node, name: string) => boolean,
): boolean {
  const readers = users(graph);
  const seen = new Set([from]);
  for (const name of seen) {
    for (const node of readers.get(name) ?? []) {
      if (reached(node, name)) return true;
      if (!keeps(node)) continue;
      for (const output of node.outputs) seen.add(output);
    }
  }
  return false;
}
