/** @file Which initialisers of someone else's graph are weights, and which of them to train. */
import { DataType } from '../onnx/data-type.js';
import { producers, reads } from '../onnx/edit.js';
import type { Graph, Node } from '../onnx/model.js';

/** Everything, the last linear layer, the layers next to the token embeddings, or single rows of these. */
export type TrainedPart = 'all' | 'head' | 'lower' | TableRows;

/** Rows of the table that token ids are looked up in. Each keeps its norm: see `Parameter.norms`. */
interface TableRows {
  readonly rows: readonly number[];
}

/**
 * Operators whose constant operands are weights. Operands of others (the divisor of attention scores, what Where
 * chooses, the exponent of Pow) belong to the formula. Limits where only the first operands are weights.
 */
const WEIGHTED: Readonly<Record<string, number>> = {
  Add: 2,
  Attention: 3,
  BatchNormalization: 3,
  BiasGelu: 2,
  Conv: 3,
  EmbedLayerNormalization: 7,
  FastGelu: 2,
  FusedMatMul: 2,
  Gather: 1,
  Gemm: 3,
  GRU: 4,
  LayerNormalization: 3,
  LSTM: 4,
  MatMul: 2,
  Mul: 2,
  PRelu: 2,
  SkipLayerNormalization: 5,
  Slice: 1,
};

/** Single-precision initialisers of more than one element that an operator before the logits uses as weights, in file order. */
export function weightsOf(graph: Graph, logits: string): string[] {
  const before = new Set([logits]);
  const used = new Set<string>();
  for (const node of graph.nodes.toReversed()) {
    if (!node.outputs.some((name) => before.has(name))) continue;
    for (const name of reads(node)) before.add(name);
    for (const name of node.inputs.slice(0, WEIGHTED[node.op] ?? 0)) used.add(name);
  }
  return Array.from(graph.initializers.values())
    .filter(({ name, type, size }) => type === DataType.float && size > 1 && used.has(name))
    .map(({ name }) => name);
}

/** The weights of the last linear layer: those met on the way back from the logits up to the first product. */
export function headOf(graph: Graph, logits: string): string[] {
  const weights = new Set(weightsOf(graph, logits));
  const made = producers(graph);
  const found: string[] = [];
  let node: Node | undefined = made.get(logits);
  while (node) {
    found.push(...node.inputs.filter((name) => weights.has(name)));
    if (['MatMul', 'Gemm', 'FusedMatMul', 'Conv'].includes(node.op)) break;
    node = node.inputs.map((name) => made.get(name)).find((before) => before !== undefined);
  }
  return found;
}

/** The weights that come first on the way to the logits: those of the lower half of the graph's products with weights, and all before. */
export function lowerHalfOf(graph: Graph, logits: string): string[] {
  const weights = weightsOf(graph, logits);
  const known = new Set(weights);
  const ordered = graph.nodes.filter((node) => node.inputs.some((name) => known.has(name)));
  const products = ordered.filter(({ op }) => !['Gather', 'Add', 'Mul'].includes(op));
  const last = ordered.indexOf(products[Math.ceil(products.length / 2) - 1] ?? ordered.at(-1)!);
  const lower = new Set(ordered.slice(0, last + 1).flatMap(({ inputs }) => inputs));
  return weights.filter((name) => lower.has(name));
}
