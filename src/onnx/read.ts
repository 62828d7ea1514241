/** @file ModelProto -> Model (onnx.proto), for files from anyone. */
import type { Attribute, Dimension, Graph, Model, Node, ValueInfo } from './model.js';
import { pristine } from './pristine.js';
import { keyValue, type ReadExternal, readTensor } from './read-tensor.js';
import type { Tensor } from './tensor.js';
import { content, fields, fixed, float, int, ints, malformed, string } from './wire.js';

/** Subgraphs within subgraphs: real models nest three deep; a file that nests more wants to overflow the stack. */
const MAX_SUBGRAPH_DEPTH = 32;

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
 * Throws ModelError (MODEL_MALFORMED) where the bytes are no ONNX model.
 */
export function readModel(bytes: Uint8Array, readExternal: ReadExternal = refuseExternal): Model {
  let irVersion: number | undefined;
  let producer = '';
  let graph: Graph | undefined;
  const opsets = new Map<string, number>();
  const metadata = new Map<string, string>();
  for (const field of fields(bytes)) {
    if (field.number === 1) irVersion = int(field);
    else if (field.number === 2) producer = string(field);
    else if (field.number === 7) graph = readGraph(content(field), readExternal, 1);
    else if (field.number === 8) opsets.set(...readOpset(content(field)));
    else if (field.number === 14) metadata.set(...keyValue(content(field)));
  }
  if (irVersion === undefined || graph === undefined) throw malformed('it holds no graph');
  const asWritten = (number: number) =>
    Buffer.concat(
      Array.from(fields(bytes)).flatMap((f) => (f.number === number ? [bytes.subarray(f.start, f.end)] : [])),
    );
  pristine(opsets, asWritten(8));
  pristine(metadata, asWritten(14));
  return pristine({ irVersion, opsets, metadata, producer, graph, source: bytes }, bytes);
}

function refuseExternal(tensor: string): never {
  throw malformed(`tensor "${tensor}" is stored in another file, and only this one was given`);
}

/** ai.onnx is written as the empty domain or by its name; we keep the empty one. */
const domainOf = (name: string): string => (name === 'ai.onnx' ? '' : name);

function readOpset(message: Uint8Array): [string, number] {
  let domain = '';
  let version = 0;
  for (const field of fields(message)) {
    if (field.number === 1) domain = domainOf(string(field));
    else if (field.number === 2) version = int(field);
  }
  return [domain, version];
}

function readGraph(message: Uint8Array, readExternal: ReadExternal, depth: number): Graph {
  if (depth > MAX_SUBGRAPH_DEPTH) throw malformed(`graphs are nested more than ${MAX_SUBGRAPH_DEPTH} deep`);
  let name = '';
  const nodes: Node[] = [];
  const initializers = new Map<string, Tensor>();
  const inputs: ValueInfo[] = [];
  const outputs: ValueInfo[] = [];
  const valueInfos: ValueInfo[] = [];
  for (const field of fields(message)) {
    if (field.number === 1) nodes.push(readNode(content(field), readExternal, depth));
    else if (field.number === 2) name = string(field);
    else if (field.number === 5) {
      const tensor = readTensor(content(field), readExternal);
      if (initializers.has(tensor.name)) throw malformed(`two initializers are named "${tensor.name}"`);
      initializers.set(tensor.name, tensor);
    } else if (field.number === 11) inputs.push(readValueInfo(content(field)));
    else if (field.number === 12) outputs.push(readValueInfo(content(field)));
    else if (field.number === 13) valueInfos.push(readValueInfo(content(field)));
  }
  return pristine({ name, nodes, initializers, inputs, outputs, valueInfos, source: message }, message);
}

function readNode(message: Uint8Array, readExternal: ReadExternal, depth: number): Node {
  const inputs: string[] = [];
  const outputs: string[] = [];
  const attributes = new Map<string, Attribute>();
  let name = '';
  let op = '';
  let domain = '';
  for (const field of fields(message)) {
    if (field.number === 1) inputs.push(string(field));
    else if (field.number === 2) outputs.push(string(field));
    else if (field.number === 3) name = string(field);
    else if (field.number === 4) op = string(field);
    else if (field.number === 5) attributes.set(...readAttribute(content(field), readExternal, depth));
    else if (field.number === 7) domain = domainOf(string(field));
  }
  return pristine({ op, domain, name, inputs, outputs, attributes, source: message }, message);
}

function readAttribute(message: Uint8Array, readExternal: ReadExternal, depth: number): [string, Attribute] {
  let name = '';
  let type = 0;
  const all = Array.from(fields(message));
  for (const field of all) {
    if (field.number === 1) name = string(field);
    else if (field.number === 20) type = int(field);
  }
  const kind = KIND[type as keyof typeof KIND];
  const at = (number: number) => all.filter((field) => field.number === number);
  const last = (number: number) => at(number).at(-1);
  const graph = (bytes: Uint8Array) => readGraph(bytes, readExternal, depth + 1);
  const one = <T>(number: number, read: (field: (typeof all)[number]) => T): T => {
    const field = last(number);
    if (field === undefined) throw malformed(`attribute "${name}" has no value`);
    return read(field);
  };
  const value = (): Attribute => {
    // Numbers and strings at their default (0, "") may be left out of the file.
    if (kind === 'float') return { kind, value: last(2) === undefined ? 0 : one(2, float) };
    if (kind === 'int') return { kind, value: last(3) === undefined ? 0 : one(3, int) };
    if (kind === 'string') return { kind, value: last(4) === undefined ? '' : one(4, string) };
    if (kind === 'tensor') return { kind, value: one(5, (field) => readTensor(content(field), readExternal)) };
    if (kind === 'graph') return { kind, value: one(6, (field) => graph(content(field))) };
    if (kind === 'floats') {
      const bytes = Buffer.concat(at(7).map((field) => fixed(field, 4)));
      return { kind, value: Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(4 * i)) };
    }
    if (kind === 'ints') return { kind, value: at(8).flatMap(ints).map(Number) };
    if (kind === 'strings') return { kind, value: at(9).map(string) };
    if (kind === 'graphs') return { kind, value: at(11).map((field) => graph(content(field))) };
    return { kind: 'other', source: message };
  };
  return [name, pristine(value(), message)];
}

function readValueInfo(message: Uint8Array): ValueInfo {
  let name = '';
  let type = 0;
  let dims: Dimension[] | undefined;
  for (const field of fields(message)) {
    if (field.number === 1) name = string(field);
    if (field.number !== 2) continue;
    for (const choice of fields(content(field))) {
      if (choice.number !== 1) continue; // TypeProto.tensor_type
      for (const part of fields(content(choice))) {
        if (part.number === 1) type = int(part);
        else if (part.number === 2) dims = Array.from(fields(content(part)), (dim) => readDim(content(dim)));
      }
    }
  }
  return pristine({ name, type, ...(dims && { dims }), source: message }, message);
}

function readDim(message: Uint8Array): Dimension {
  let dim: Dimension = null;
  for (const field of fields(message)) {
    if (field.number === 1) dim = int(field);
    else if (field.number === 2) dim = string(field) || null;
  }
  return dim;
}
