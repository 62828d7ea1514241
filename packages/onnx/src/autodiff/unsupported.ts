/** @file Reports every operator without a gradient at once: engine, operator, opset, node and reason. */
import { must, OnnxError } from '../errors.js';
import type { Attribute, Model, Node } from '../graph/model.js';
import { operatorOf } from '../graph/operators/index.js';

/** A case of an operator that an engine does not cover. */
export class Unsupported extends Error {}

/** One operator an engine does not cover, where it stands. */
export interface UnsupportedNode {
  readonly node: Node;
  readonly reason: string;
}

/** The error (GRADIENTS_UNSUPPORTED) that names them all, equal ones once. */
export function unsupportedOps(engine: 'onnx' | 'tfjs', model: Model, nodes: readonly UnsupportedNode[]): OnnxError {
  const alike = new Map<string, UnsupportedNode[]>();
  for (const each of nodes) {
    const key = JSON.stringify([each.node.domain, each.node.op, each.reason]);
    alike.set(key, [...(alike.get(key) ?? []), each]);
  }
  const list = Array.from(alike.values(), ([first, ...others]) => {
    const { node, reason } = must(first);
    const opset = model.opsets.get(node.domain) ?? '?';
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    return `${node.domain || 'ai.onnx'}.${node.op} (opset ${opset}, node "${nameOf(node)}"${more}): ${reason}`;
  });
  const other =
    engine === 'tfjs'
      ? 'Use --runtime engine=onnx, or attacks that need no gradients.'
      : 'Attacks that need no gradients run on it all the same.';
  return new OnnxError(`the ${engine} engine cannot differentiate this graph: ${list.sort().join('; ')}`, {
    code: 'GRADIENTS_UNSUPPORTED',
    hint: `${other} docs/reference/supported-ops.md lists what each engine differentiates.`,
  });
}

/** Many exporters name no nodes; what a node computes always has a name. */
const nameOf = (node: Node): string => node.name || node.outputs.find(Boolean) || '?';

const scalar = (attribute: Attribute): number | string | undefined =>
  attribute.kind === 'int' || attribute.kind === 'float' || attribute.kind === 'string' ? attribute.value : undefined;

/** Why a node's attributes are not supported, or undefined where they all are. */
export function unsupportedAttribute(node: Node): string | undefined {
  const supported = operatorOf(node)?.attributes ?? {};
  for (const [name, attribute] of node.attributes) {
    const values = Object.hasOwn(supported, name) ? supported[name] : [];
    // A reference to an attribute of a function around the node: its value is not here.
    if (attribute.kind === 'other') return `attribute ${name}, given by reference`;
    const value = scalar(attribute);
    if (values === 'any' || (value !== undefined && values?.includes(value))) continue;
    return value === undefined ? `attribute ${name}` : `attribute ${name} = ${value}`;
  }
  return undefined;
}
