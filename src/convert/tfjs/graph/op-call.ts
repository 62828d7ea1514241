/** @file One node of TensorFlow as it is drawn: its inputs, what they are known to hold, and errors that name it. */

import type { ModelError } from '../../../core/errors.js';
import type { GraphBuilder } from '../../../onnx/builder.js';
import { malformed, unsupported } from '../refusal.js';
import type { GraphNode } from './graph-def.js';
import type { NodeAttributes } from './node-attributes.js';
import { type Dims, type ElementType, followed, type KnownElements, type TensorValue } from './value.js';

export type DrawOp = (call: OpCall) => TensorValue | readonly TensorValue[];

export class OpCall {
  readonly g: GraphBuilder;
  readonly node: GraphNode;
  readonly inputs: readonly TensorValue[];

  constructor(g: GraphBuilder, node: GraphNode, inputs: readonly TensorValue[]) {
    this.g = g;
    this.node = node;
    this.inputs = inputs;
  }

  get attributes(): NodeAttributes {
    return this.node.attributes;
  }

  /** The input at a place; below 0 counts from the last. Throws ModelError if it does not exist. */
  input(at: number): TensorValue {
    const value = this.inputs.at(at);
    if (value === undefined) throw malformed(this.attributes.where, `${this.inputs.length} inputs`);
    return value;
  }

  value(type: ElementType, name: string, dims: Dims, known?: KnownElements): TensorValue {
    return { type, name, dims, known: followed(type, dims) ? known : undefined };
  }

  /** A constant of the type. */
  scalar(type: ElementType, value: number): string {
    return type === 'float' ? this.g.float(value) : this.g.int(value);
  }

  refuse(expected: string, got: string): ModelError {
    return unsupported(this.attributes.where, expected, got);
  }

  /** Integers that the file contains or determines. Throws ModelError if they depend on the texts. */
  constants(at: number, what: string): readonly number[] {
    const { known, numbers } = this.input(at);
    if (known?.every((each) => each !== null)) return known as number[];
    if (numbers !== undefined) return numbers;
    throw this.refuse(`${what} that the file says`, 'one that is calculated');
  }

  constant(at: number, what: string): number {
    const values = this.constants(at, what);
    if (values.length === 1) return values[0]!;
    throw this.refuse(`one ${what}`, `${values.length}`);
  }

  /** Throws ModelError where it is not known. */
  rank({ dims }: TensorValue): number {
    if (dims !== undefined) return dims.length;
    throw this.refuse('tensors whose number of axes follows from the file', 'one that is not known');
  }

  /** An axis, counted from the first. Throws ModelError if it does not exist. */
  axis(given: number, rank: number): number {
    const axis = given < 0 ? given + rank : given;
    if (axis >= 0 && axis < rank) return axis;
    throw malformed(this.attributes.where, `the axis ${given} of ${rank}`);
  }

  /** A vector of whole numbers as ONNX wants it: a constant where all are known. */
  vector({ known, dims, name }: TensorValue): string {
    if (known?.every((each) => each !== null)) return this.g.ints(known as number[]);
    return dims?.length === 0 ? this.g.unsqueeze(name, [0]) : name;
  }
}
