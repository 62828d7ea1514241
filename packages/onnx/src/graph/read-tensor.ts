/** @file TensorProto -> Tensor (onnx.proto). Values are decoded when first asked for. */
import { floatToHalf } from '../half.js';
import { DataType, type TypedArray, typeName } from './data-type.js';
import { pristine } from './pristine.js';
import { type ExternalData, elements, Tensor } from './tensor.js';
import { fixedBytes, ints, MessageFields, malformed } from './wire.js';

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
  const fields = new MessageFields(message);
  const [name, type, dims] = [fields.string(NAME), fields.int(DATA_TYPE), fields.ints(DIMS)];
  const entries = new Map(fields.messages(EXTERNAL_DATA).map(keyValue));
  if (dims.some((d) => d < 0)) throw malformed(`tensor "${name}" has dimensions [${dims}]`);
  const external = entries.size > 0 ? externalData(name, entries) : undefined;
  const size = dims.reduce((product, d) => product * d, 1);
  const read = () => {
    const bytes = external ? readExternal(name, external) : fields.message(RAW_DATA);
    return elements(name, type, size, bytes ?? listedBytes(name, type, size, fields));
  };
  const readStrings = () => {
    if (type !== DataType.string) throw malformed(`tensor "${name}" holds ${typeName(type)}, not strings`);
    return fields.strings(STRING_DATA);
  };
  return pristine(new Tensor({ name, type, dims, external, source: message, read, readStrings }), message);
}

/** StringStringEntryProto. */
export function keyValue(message: Uint8Array): [string, string] {
  const fields = new MessageFields(message);
  return [fields.string(1), fields.string(2)];
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

/** The typed arrays of lists of integers; small integer types share int32_data. */
const INTEGERS = new Map<number, { from(values: readonly number[]): TypedArray }>([
  [DataType.int32, Int32Array],
  [DataType.uint32, Uint32Array],
  [DataType.uint16, Uint16Array],
  [DataType.bfloat16, Uint16Array],
  [DataType.int16, Int16Array],
  [DataType.int8, Int8Array],
  [DataType.uint8, Uint8Array],
  [DataType.bool, Uint8Array],
]);

/** The elements of the typed lists, as raw bytes. */
function listedBytes(name: string, type: number, size: number, fields: MessageFields): Uint8Array {
  const bytes = (data: TypedArray) => new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const integers = () => [INT32_DATA, INT64_DATA, UINT64_DATA].flatMap((number) => fields.all(number).flatMap(ints));
  const join = (number: number, width: 4 | 8) =>
    Buffer.concat(fields.all(number).map((field) => fixedBytes(field, width)));
  if (type === DataType.float) return join(FLOAT_DATA, 4);
  if (type === DataType.double) return join(DOUBLE_DATA, 8);
  if (type === DataType.int64) return bytes(BigInt64Array.from(integers()));
  if (type === DataType.uint64) return bytes(BigUint64Array.from(integers()));
  const numbers = integers().map(Number);
  const array = INTEGERS.get(type);
  if (array !== undefined) return bytes(array.from(numbers));
  if (type !== DataType.float16) throw malformed(`tensor "${name}" lists elements of ${typeName(type)}`);
  // The standard stores the bits in int32_data; some writers put the values into float_data instead.
  if (numbers.length > 0 || size === 0) return bytes(Uint16Array.from(numbers));
  return bytes(Uint16Array.from(new Float32Array(join(FLOAT_DATA, 4).slice().buffer), floatToHalf));
}
