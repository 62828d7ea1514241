/** @file Which initialisers of someone else's graph are weights, and which of them to train. */
import { DataType } from '../../packages/onnx/src/graph/data-type.js';
import { producers, reads } from '../../packages/onnx/src/graph/edit.js';
import type { Graph, Node } from '../../packages/onnx/src/graph/model.js';

/** Everything, the last linear layer, or single rows of the token embeddings. */
export type TrainedPart = 'all' | 'head' | TableRows;

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
