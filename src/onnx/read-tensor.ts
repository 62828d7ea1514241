/** @file TensorProto -> Tensor (onnx.proto). Values are decoded when first asked for. */

import { floatToHalf } from '../core/half.js';
import { DataType, type TypedArray, typeName } from './data-type.js';
import { pristine } from './pristine.js';
import { type ExternalData, elements, Tensor } from './tensor.js';
import { content, type Field, fields, fixed, int, ints, malformed, string } from './wire.js';

/** Fetches bytes that lie outside the model file. */
export type ReadExternal = (tensor: string, where: ExternalData) => Uint8Array;

/** Field numbers of TensorProto. */
const DIMS = 1;
const DATA_TYPE = 2;
const FLOAT_DATA = 4;
const INT32_DATA = 5;
const STRING_DATA = 6;
const INT64_DATA = 7;
const NAME = 8;
const RAW_DATA = 9;
const DOUBLE_DATA = 10;
const UINT64_DATA = 11;
const EXTERNAL_DATA = 13;

export function readTensor(message: Uint8Array, readExternal: ReadExternal): Tensor {
  const dims: number[] = [];
  let type = 0;
  let name = '';
  let raw: Uint8Array | undefined;
  const listed: Field[] = [];
  const external = new Map<string, string>();
  for (const field of fields(message)) {
    if (field.number === DIMS) dims.push(...ints(field).map(Number));
    else if (field.number === DATA_TYPE) type = int(field);
    else if (field.number === NAME) name = string(field);
    else if (field.number === RAW_DATA) raw = content(field);
    else if (field.number === EXTERNAL_DATA) external.set(...keyValue(content(field)));
    else if ([FLOAT_DATA, INT32_DATA, STRING_DATA, INT64_DATA, DOUBLE_DATA, UINT64_DATA].includes(field.number)) {
      listed.push(field);
    }
  }
  if (dims.some((d) => d < 0)) throw malformed(`tensor "${name}" has dimensions [${dims}]`);
  const where = external.size > 0 ? externalData(name, external) : undefined;
  const size = dims.reduce((product, d) => product * d, 1);
  const tensor = new Tensor({
    name,
    type,
    dims,
    external: where,
    source: message,
    read: () => {
      if (where !== undefined) return elements(name, type, size, readExternal(name, where));
      return elements(name, type, size, raw ?? listedBytes(name, type, size, listed));
    },
    readStrings: () => {
      if (type !== DataType.string) throw malformed(`tensor "${name}" holds ${typeName(type)}, not strings`);
      return listed.filter((field) => field.number === STRING_DATA).map(string);
    },
  });
  return pristine(tensor, message);
}

/** StringStringEntryProto. */
export function keyValue(message: Uint8Array): [string, string] {
  let key = '';
  let value = '';
  for (const field of fields(message)) {
    if (field.number === 1) key = string(field);
    else if (field.number === 2) value = string(field);
  }
  return [key, value];
}

function externalData(name: string, entries: ReadonlyMap<string, string>): ExternalData {
  const location = entries.get('location');
  if (location === undefined) throw malformed(`tensor "${name}" is stored elsewhere, but not said where`);
  const whole = (key: string): number | undefined => {
    const text = entries.get(key);
    if (text === undefined) return undefined;
    const value = Number(text);
    if (!Number.isSafeInteger(value) || value < 0) throw malformed(`tensor "${name}" has external ${key} "${text}"`);
    return value;
  };
  return { location, offset: whole('offset') ?? 0, length: whole('length') };
}

/** The elements of the typed lists, as raw bytes. Small integer types share int32_data, float16 its bits. */
function listedBytes(name: string, type: number, size: number, listed: readonly Field[]): Uint8Array {
  const bytes = (data: TypedArray) => new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const integers = () =>
    listed.filter((field) => [INT32_DATA, INT64_DATA, UINT64_DATA].includes(field.number)).flatMap(ints);
  const join = (number: number, width: 4 | 8) =>
    Buffer.concat(listed.filter((field) => field.number === number).map((field) => fixed(field, width)));
  if (type === DataType.float) return join(FLOAT_DATA, 4);
  if (type === DataType.double) return join(DOUBLE_DATA, 8);
  if (type === DataType.int64) return bytes(BigInt64Array.from(integers()));
  if (type === DataType.uint64) return bytes(BigUint64Array.from(integers()));
  const numbers = integers().map(Number);
  if (type === DataType.int32) return bytes(Int32Array.from(numbers));
  if (type === DataType.uint32) return bytes(Uint32Array.from(numbers));
  if (type === DataType.uint16 || type === DataType.bfloat16) return bytes(Uint16Array.from(numbers));
  if (type === DataType.int16) return bytes(Int16Array.from(numbers));
  if (type === DataType.int8) return bytes(Int8Array.from(numbers));
  if (type === DataType.uint8 || type === DataType.bool) return bytes(Uint8Array.from(numbers));
  if (type === DataType.float16) {
    // The standard stores the bits in int32_data; some writers put the values into float_data instead.
    if (numbers.length > 0 || size === 0) return bytes(Uint16Array.from(numbers));
    const floats = join(FLOAT_DATA, 4);
    return bytes(Uint16Array.from(new Float32Array(floats.slice().buffer), floatToHalf));
  }
  throw malformed(`tensor "${name}" lists elements of ${typeName(type)}`);
}
