/** @file What stands in the way of a gradient, said whole: engine, operator, opset, node and reason, all of them at once. */
import { UnsupportedOpError } from '../core/errors.js';
import type { Model, Node } from '../onnx/model.js';
import type { Engine } from './engine.js';

/** A case of an operator that an engine does not cover. */
export class Unsupported extends Error {}

/** One operator an engine does not cover, where it stands. */
export interface Obstacle {
  readonly node: Node;
  readonly reason: string;
}

/** The error (UNSUPPORTED_OPS) that names them all, equal ones once. */
export function unsupported(engine: Engine['name'], model: Model, obstacles: readonly Obstacle[]): UnsupportedOpError {
  const alike = new Map<string, Obstacle[]>();
  for (const obstacle of obstacles) {
    const key = JSON.stringify([obstacle.node.domain, obstacle.node.op, obstacle.reason]);
    alike.set(key, [...(alike.get(key) ?? []), obstacle]);
  }
  const list = Array.from(alike.values(), ([first, ...others]) => {
    const { node, reason } = first as Obstacle;
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
