/**
 * @file Model -> ModelProto (onnx.proto). What was read and not changed is copied byte for byte; a message that was changed
 * keeps, in their place, the fields we do not model.
 */
import { arrayOf, DataType, type TypedArray } from './data-type.js';
import type { Attribute, Dimension, Graph, Model, Node, ValueInfo } from './model.js';
import { pristineBytes } from './pristine.js';
import type { Tensor } from './tensor.js';
import { assertKnown } from './versions.js';
import { fields, Message } from './wire.js';

/** Every field number we model -> what to write for it. */
type FieldMessages = ReadonlyMap<number, Message>;

/** The bytes of a model file. Throws OnnxError (GRADIENTS_UNSUPPORTED) for a changed model newer than we know. */
export function writeModel(model: Model): Uint8Array {
  return pristineBytes(model) ?? modelMessage(model).build();
}

/** The same, piece by piece: the values of a tensor are read when its turn comes, and not kept. */
export function modelPieces(model: Model): Iterable<Uint8Array> {
  const bytes = pristineBytes(model);
  return bytes === undefined ? modelMessage(model).chunks() : [bytes];
}

function modelMessage(model: Model): Message {
  assertKnown(model);
  const parts = new Map([
    [1, new Message().int(1, model.irVersion)],
    [2, optionalString(2, model.producer)],
    [7, new Message().message(7, writeGraph(model.graph))],
    [8, unlessPristine(model.opsets, ([domain, version]) => new Message().message(8, opset(domain, version)))],
    [14, unlessPristine(model.metadata, ([key, value]) => new Message().message(14, keyValue(key, value)))],
  ]);
  return rewrite(model.source, parts);
}

/** The source's fields with the modelled ones replaced where they first stood; parts it lacks follow in field order. */
function rewrite(source: Uint8Array | undefined, parts: FieldMessages): Message {
  const message = new Message();
  const written = new Set<number>();
  for (const field of source === undefined ? [] : fields(source)) {
    const part = parts.get(field.number);
    if (part === undefined) message.raw(source!.subarray(field.start, field.end));
    else if (!written.has(field.number)) {
      message.append(part);
      written.add(field.number);
    }
  }
  for (const [number, part] of [...parts].sort(([a], [b]) => a - b)) {
    if (!written.has(number)) message.append(part);
  }
  return message;
}

const copy = (bytes: Uint8Array): Message => new Message().raw(bytes);

function each<T>(items: Iterable<T>, write: (item: T) => Message): Message {
  const all = new Message();
  for (const item of items) all.append(write(item));
  return all;
}

function unlessPristine<K, V>(map: ReadonlyMap<K, V>, write: (entry: [K, V]) => Message): Message {
  const bytes = pristineBytes(map);
  return bytes === undefined ? each(map, write) : copy(bytes);
}

const optionalString = (number: number, value: string): Message =>
  value === '' ? new Message() : new Message().string(number, value);

const opset = (domain: string, version: number): Message => optionalString(1, domain).int(2, version);

const keyValue = (key: string, value: string): Message => new Message().string(1, key).string(2, value);

function writeGraph(graph: Graph): Message {
  const bytes = pristineBytes(graph);
  if (bytes !== undefined) return copy(bytes);
  const infos = (number: number, list: readonly ValueInfo[]): [number, Message] => [
    number,
    each(list, (info) => new Message().message(number, writeValueInfo(info))),
  ];
  return rewrite(
    graph.source,
    new Map([
      [1, each(graph.nodes, (node) => new Message().message(1, writeNode(node)))],
      [2, new Message().string(2, graph.name)],
      [5, each(graph.initializers, ([name, tensor]) => new Message().message(5, writeTensor(tensor, name)))],
      infos(11, graph.inputs),
      infos(12, graph.outputs),
      infos(13, graph.valueInfos),
    ]),
  );
}

function writeNode(node: Node): Message {
  const bytes = pristineBytes(node);
  if (bytes !== undefined) return copy(bytes);
  return rewrite(
    node.source,
    new Map([
      [1, each(node.inputs, (name) => new Message().string(1, name))],
      [2, each(node.outputs, (name) => new Message().string(2, name))],
      [3, optionalString(3, node.name)],
      [4, new Message().string(4, node.op)],
      [5, each(node.attributes, ([name, attribute]) => new Message().message(5, writeAttribute(name, attribute)))],
      [7, optionalString(7, node.domain)],
    ]),
  );
}

function writeAttribute(name: string, attribute: Attribute): Message {
  const bytes = attribute.kind === 'other' ? attribute.source : pristineBytes(attribute);
  if (bytes !== undefined) return copy(bytes);
  const message = new Message().string(1, name);
  switch (attribute.kind) {
    case 'float':
      return message.float(2, attribute.value).int(20, 1);
    case 'int':
      return message.int(3, attribute.value).int(20, 2);
    case 'string':
      return message.string(4, attribute.value).int(20, 3);
    case 'tensor':
      return message.message(5, writeTensor(attribute.value, attribute.value.name)).int(20, 4);
    case 'graph':
      return message.message(6, writeGraph(attribute.value)).int(20, 5);
    case 'floats':
      for (const value of attribute.value) message.float(7, value);
      return message.int(20, 6);
    case 'ints':
      for (const value of attribute.value) message.int(8, value);
      return message.int(20, 7);
    case 'strings':
      for (const value of attribute.value) message.string(9, value);
      return message.int(20, 8);
    case 'graphs':
      for (const value of attribute.value) message.message(11, writeGraph(value));
      return message.int(20, 10);
    case 'other':
      return message;
  }
}

function writeTensor(tensor: Tensor, name: string): Message {
  const bytes = pristineBytes(tensor);
  if (bytes !== undefined && tensor.name === name) return copy(bytes);
  const message = new Message();
  for (const dim of tensor.dims) message.int(1, dim);
  message.int(2, tensor.type);
  if (tensor.type === DataType.string) for (const text of tensor.strings) message.string(6, text);
  if (name !== '') message.string(8, name);
  if (tensor.type === DataType.string) return message;
  const width = arrayOf(tensor.type)?.BYTES_PER_ELEMENT;
  // Its type is one that we cannot read: that error says so.
  if (width === undefined) return message.bytes(9, bytesOf(tensor.data));
  return message.later(9, tensor.size * width, () => bytesOf(tensor.once()));
}

/** The bytes of elements as they lie in memory. */
export const bytesOf = ({ buffer, byteOffset, byteLength }: TypedArray): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

function writeValueInfo(info: ValueInfo): Message {
  const bytes = pristineBytes(info);
  if (bytes !== undefined) return copy(bytes);
  const message = new Message().string(1, info.name);
  if (info.type === 0) return message; // untyped: the runtime infers it
  const tensor = new Message().int(1, info.type);
  if (info.dims !== undefined) {
    tensor.message(
      2,
      each(info.dims, (dim) => new Message().message(1, writeDim(dim))),
    );
  }
  return message.message(2, new Message().message(1, tensor));
}

function writeDim(dim: Dimension): Message {
  if (typeof dim === 'number') return new Message().int(1, dim);
  return dim === null ? new Message() : new Message().string(2, dim);
}
