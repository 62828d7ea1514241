/** @file A tensor as a graph names it where its bytes lie in a file (onnx/docs/ExternalData.md). */
import type { TypedArray } from './data-type.js';
import { pristine } from './pristine.js';
import { type ExternalData, Tensor } from './tensor.js';
import { Message } from './wire.js';

/** Field numbers and a value of TensorProto (onnx.proto). */
const EXTERNAL_DATA = 13;
const DATA_LOCATION = 14;
const EXTERNAL = 1;

/** Adds to a TensorProto where its bytes lie. */
export function writeExternal(message: Message, { location, offset, length }: ExternalData): Message {
  for (const [key, value] of Object.entries({ location, offset, length })) {
    if (value === undefined) continue;
    message.message(EXTERNAL_DATA, new Message().string(1, key).string(2, String(value)));
  }
  return message.int(DATA_LOCATION, EXTERNAL);
}

/** A tensor of this name, type and shape whose bytes lie in a file; `read` gives its elements. */
export function externalTensor(
  { name, type, dims }: Pick<Tensor, 'name' | 'type' | 'dims'>,
  external: ExternalData,
  read: () => TypedArray,
): Tensor {
  const message = new Message();
  for (const dim of dims) message.int(1, dim);
  const source = writeExternal(message.int(2, type).string(8, name), external).build();
  return pristine(new Tensor({ name, type, dims, external, source, read }), source);
}
