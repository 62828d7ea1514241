/** @file ModelProto -> Model (onnx.proto), for files from anyone. */
import { OnnxError } from '../errors.js';
import type { Attribute, Dimension, Graph, Model, Node, ValueInfo } from './model.js';
import { pristine } from './pristine.js';
import { keyValue, type ReadExternal, readTensor } from './read-tensor.js';
import type { Tensor } from './tensor.js';
import { fixedBytes, MessageFields, malformed } from './wire.js';

/** Subgraphs within subgraphs: real models nest three deep; a file that nests more wants to overflow the stack. */
const MAX_SUBGRAPH_DEPTH = 32;

/** More than any real model has; the runtime's time to open a file grows with the square: a minute for 100,000. */
const MAX_TENSORS = 50_000;

/** AttributeProto.AttributeType. */
const KIND = {
  1: 'float',
  2: 'int',
  3: 'string',
  4: 'tensor',
  5: 'graph',
  6: 'floats',
  7: 'ints',
  8: 'strings',
  10: 'graphs',
} as const;

/**
 * Reads a model file. Tensor values are views of `bytes`, decoded when first asked for, so do not write to it afterwards.
 * Throws OnnxError (MODEL_DAMAGED) where the bytes are no ONNX model.
 */
export function readModel(bytes: Uint8Array, readExternal: ReadExternal = refuseExternal): Model {
  const fields = new MessageFields(bytes);
  const graph = fields.message(7);
  if (fields.last(1) === undefined || graph === undefined) throw malformed('it holds no graph');
  const asWritten = (number: number) =>
    Buffer.concat(fields.all(number).map(({ start, end }) => bytes.subarray(start, end)));
  const opsets = new Map(fields.messages(8).map(readOpset));
  const metadata = new Map(fields.messages(14).map(keyValue));
  pristine(opsets, asWritten(8));
  pristine(metadata, asWritten(14));
  const model = {
    irVersion: fields.int(1),
    opsets,
    metadata,
    producer: fields.string(2),
    graph: new GraphReader(readExternal).graph(graph, 1),
    source: bytes,
  };
  return pristine(model, bytes);
}

const tooMany = (): OnnxError =>
  new OnnxError(`expected at most ${MAX_TENSORS} tensors in an ONNX model, got more`, {
    code: 'MODEL_UNSUPPORTED',
    hint: 'Export the model again, without tensors that no node reads.',
  });

function refuseExternal(tensor: string): never {
  throw malformed(`tensor "${tensor}" is stored in another file, and only this one was given`);
}

/** ai.onnx is written as the empty domain or by its name; we keep the empty one. */
const domainOf = (name: string): string => (name === 'ai.onnx' ? '' : name);

function readOpset(message: Uint8Array): [string, number] {
  const fields = new MessageFields(message);
  return [domainOf(fields.string(1)), fields.int(2)];
}

class GraphReader {
  readonly #readExternal: ReadExternal;
  #tensors = 0;

  constructor(readExternal: ReadExternal) {
    this.#readExternal = readExternal;
  }

  graph(message: Uint8Array, depth: number): Graph {
    if (depth > MAX_SUBGRAPH_DEPTH) throw malformed(`graphs are nested more than ${MAX_SUBGRAPH_DEPTH} deep`);
    const fields = new MessageFields(message);
    const initializers = new Map<string, Tensor>();
    this.#tensors += fields.all(5).length;
    if (this.#tensors > MAX_TENSORS) throw tooMany();
    for (const part of fields.messages(5)) {
      const tensor = readTensor(part, this.#readExternal);
      if (initializers.has(tensor.name)) throw malformed(`two initializers are named "${tensor.name}"`);
      initializers.set(tensor.name, tensor);
    }
    const graph = {
      name: fields.string(2),
      nodes: fields.messages(1).map((part) => this.#node(part, depth)),
      initializers,
      inputs: fields.messages(11).map(readValueInfo),
      outputs: fields.messages(12).map(readValueInfo),
      valueInfos: fields.messages(13).map(readValueInfo),
      source: message,
    };
    return pristine(graph, message);
  }

  #node(message: Uint8Array, depth: number): Node {
    const fields = new MessageFields(message);
    const node = {
      op: fields.string(4),
      domain: domainOf(fields.string(7)),
      name: fields.string(3),
      inputs: fields.strings(1),
      outputs: fields.strings(2),
      attributes: new Map(fields.messages(5).map((part) => this.#attribute(part, depth))),
      source: message,
    };
    return pristine(node, message);
  }

  #attribute(message: Uint8Array, depth: number): [string, Attribute] {
    const fields = new MessageFields(message);
    const name = fields.string(1);
    return [name, pristine(this.#value(fields, name, message, depth), message)];
  }

  #value(fields: MessageFields, name: string, source: Uint8Array, depth: number): Attribute {
    const kind = KIND[fields.int(20) as keyof typeof KIND];
    const part = (number: number): Uint8Array => {
      const bytes = fields.message(number);
      if (bytes === undefined) throw malformed(`attribute "${name}" has no value`);
      return bytes;
    };
    switch (kind) {
      case 'float':
        return { kind, value: fields.float(2) };
      case 'int':
        return { kind, value: fields.int(3) };
      case 'string':
        return { kind, value: fields.string(4) };
      case 'tensor':
        return { kind, value: readTensor(part(5), this.#readExternal) };
      case 'graph':
        return { kind, value: this.graph(part(6), depth + 1) };
      case 'floats': {
        const bytes = Buffer.concat(fields.all(7).map((field) => fixedBytes(field, 4)));
        return { kind, value: Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(4 * i)) };
      }
      case 'ints':
        return { kind, value: fields.ints(8) };
      case 'strings':
        return { kind, value: fields.strings(9) };
      case 'graphs':
        return { kind, value: fields.messages(11).map((bytes) => this.graph(bytes, depth + 1)) };
      default:
        return { kind: 'other', source };
    }
  }
}

function readValueInfo(message: Uint8Array): ValueInfo {
  const fields = new MessageFields(message);
  const tensor = new MessageFields(fields.message(2) ?? NONE).message(1); // TypeProto.tensor_type
  const type = new MessageFields(tensor ?? NONE);
  const shape = type.message(2);
  const dims = shape && new MessageFields(shape).messages(1).map(readDim);
  return pristine({ name: fields.string(1), type: type.int(1), dims, source: message }, message);
}

const NONE = new Uint8Array();

function readDim(message: Uint8Array): Dimension {
  const fields = new MessageFields(message);
  if (fields.last(2) !== undefined) return fields.string(2) || null;
  return fields.last(1) === undefined ? null : fields.int(1);
}
