/** @file A node's attributes by name and type, with the operator's default where the node does not say. */
import { ModelError } from '../core/errors.js';
import type { Attribute, Node } from './model.js';
import type { Tensor } from './tensor.js';

type Kind = Attribute['kind'];

function read<K extends Kind>(node: Node, name: string, kind: K): Extract<Attribute, { kind: K }> | undefined {
  const attribute = node.attributes.get(name);
  if (attribute === undefined) return undefined;
  if (attribute.kind !== kind) {
    throw new ModelError(`${node.op} "${node.name}": expected attribute ${name} to be ${kind}, got ${attribute.kind}`, {
      code: 'MODEL_MALFORMED',
    });
  }
  return attribute as Extract<Attribute, { kind: K }>;
}

export const int = (node: Node, name: string, otherwise: number): number => read(node, name, 'int')?.value ?? otherwise;
export const float = (node: Node, name: string, otherwise: number): number =>
  read(node, name, 'float')?.value ?? otherwise;
export const text = (node: Node, name: string, otherwise: string): string =>
  read(node, name, 'string')?.value ?? otherwise;
export const ints = (node: Node, name: string): readonly number[] | undefined => read(node, name, 'ints')?.value;
export const floats = (node: Node, name: string): readonly number[] | undefined => read(node, name, 'floats')?.value;
export const tensor = (node: Node, name: string): Tensor | undefined => read(node, name, 'tensor')?.value;
