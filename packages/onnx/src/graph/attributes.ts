/** @file A node's attributes by name and type, with the operator's default where the node does not say. */
import { OnnxError } from '../errors.js';
import type { Node } from './model.js';
import type { Tensor } from './tensor.js';

interface AttributeValues {
  int: number;
  float: number;
  string: string;
  ints: readonly number[];
  floats: readonly number[];
  strings: readonly string[];
  tensor: Tensor;
}

/** Reads one node's attributes. Throws OnnxError (MODEL_DAMAGED) for one of another type: its default would be another function. */
export function attributesOf(node: Node) {
  const read = <K extends keyof AttributeValues>(name: string, kind: K): AttributeValues[K] | undefined => {
    const attribute = node.attributes.get(name);
    if (attribute === undefined) return undefined;
    if (attribute.kind === kind) return (attribute as unknown as { value: AttributeValues[K] }).value;
    throw new OnnxError(`${node.op} "${node.name}": expected attribute ${name} to be ${kind}, got ${attribute.kind}`, {
      code: 'MODEL_DAMAGED',
      hint: 'Export the model again.',
    });
  };
  return {
    int: (name: string, otherwise: number): number => read(name, 'int') ?? otherwise,
    float: (name: string, otherwise: number): number => read(name, 'float') ?? otherwise,
    string: (name: string, otherwise: string): string => read(name, 'string') ?? otherwise,
    ints: (name: string): readonly number[] | undefined => read(name, 'ints'),
    floats: (name: string): readonly number[] | undefined => read(name, 'floats'),
    strings: (name: string): readonly string[] | undefined => read(name, 'strings'),
    tensor: (name: string): Tensor | undefined => read(name, 'tensor'),
  };
}
