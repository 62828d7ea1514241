/** @file What stands in the way of a gradient, said whole: engine, operator, opset, node and reason, all of them at once. */
import { UnsupportedOpError } from '../../core/errors.js';
import type { Model, Node } from '../../onnx/model.js';

/** A case of an operator that an engine does not cover. */
export class Unsupported extends Error {}

/** One operator an engine does not cover, where it stands. */
export interface UnsupportedNode {
  readonly node: Node;
  readonly reason: string;
}

/** The error (UNSUPPORTED_OPS) that names them all, equal ones once. */
export function unsupportedOps(
  engine: 'onnx' | 'tfjs',
  model: Model,
  nodes: readonly UnsupportedNode[],
): UnsupportedOpError {
  const alike = new Map<string, UnsupportedNode[]>();
  for (const each of nodes) {
    const key = JSON.stringify([each.node.domain, each.node.op, each.reason]);
    alike.set(key, [...(alike.get(key) ?? []), each]);
  }
  const list = Array.from(alike.values(), ([first, ...others]) => {
    const { node, reason } = first as UnsupportedNode;
    const opset = model.opsets.get(node.domain) ?? '?';
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    return `${node.domain || 'ai.onnx'}.${node.op} (opset ${opset}, node "${nameOf(node)}"${more}): ${reason}`;
  });
  const other =
    engine === 'tfjs'
      ? 'Use --engine onnx, or attacks that need no gradients.'
      : 'Attacks that need no gradients run on it all the same.';
  return new UnsupportedOpError(`the ${engine} engine cannot differentiate this graph: ${list.sort().join('; ')}`, {
    code: 'UNSUPPORTED_OPS',
    hint: `${other} docs/supported-ops.md lists what each engine differentiates.`,
  });
}

/** Many exporters name no nodes; what a node computes always has a name. */
const nameOf = (node: Node): string => node.name || node.outputs.find(Boolean) || '?';
