/** @file Element types of tensors (onnx.proto, TensorProto.DataType). */

/** Codes of the element types we read the values of. */
export const DataType = {
  float: 1,
  uint8: 2,
  int8: 3,
  uint16: 4,
  int16: 5,
  int32: 6,
  int64: 7,
  string: 8,
  bool: 9,
  float16: 10,
  double: 11,
  uint32: 12,
  uint64: 13,
  bfloat16: 16,
} as const;

/** Tensor elements; float16 and bfloat16 as their bits, bool as 0 and 1. */
export type TypedArray =
  | Float32Array
  | Float64Array
  | Int8Array
  | Int16Array
  | Int32Array
  | BigInt64Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | BigUint64Array;

type ArrayConstructor = {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike, byteOffset?: number, length?: number): TypedArray;
};

const ARRAYS: Readonly<Record<number, ArrayConstructor>> = {
  [DataType.float]: Float32Array,
  [DataType.uint8]: Uint8Array,
  [DataType.int8]: Int8Array,
  [DataType.uint16]: Uint16Array,
  [DataType.int16]: Int16Array,
  [DataType.int32]: Int32Array,
  [DataType.int64]: BigInt64Array,
  [DataType.bool]: Uint8Array,
  [DataType.float16]: Uint16Array,
  [DataType.double]: Float64Array,
  [DataType.uint32]: Uint32Array,
  [DataType.uint64]: BigUint64Array,
  [DataType.bfloat16]: Uint16Array,
};

/** The typed array that holds elements of this type, or undefined for strings and types we only carry along. */
export function arrayOf(type: number): ArrayConstructor | undefined {
  return ARRAYS[type];
}

/** `float`, `int64`, ... or `type 23` for one newer than this list. */
export function typeName(type: number): string {
  return Object.entries(DataType).find(([, code]) => code === type)?.[0] ?? `type ${type}`;
}

/** Default type of a typed array. */
export function typeOf(data: TypedArray): number {
  if (data instanceof Float32Array) return DataType.float;
  if (data instanceof Float64Array) return DataType.double;
  if (data instanceof BigInt64Array) return DataType.int64;
  if (data instanceof BigUint64Array) return DataType.uint64;
  if (data instanceof Int32Array) return DataType.int32;
  if (data instanceof Uint32Array) return DataType.uint32;
  if (data instanceof Int16Array) return DataType.int16;
  if (data instanceof Uint16Array) return DataType.uint16;
  if (data instanceof Int8Array) return DataType.int8;
  return DataType.uint8;
}

/** Element types by the names that onnxruntime has for them. */
export const ORT_TYPES = {
  float32: DataType.float,
  uint8: DataType.uint8,
  int8: DataType.int8,
  uint16: DataType.uint16,
  int16: DataType.int16,
  int32: DataType.int32,
  int64: DataType.int64,
  string: DataType.string,
  bool: DataType.bool,
  float16: DataType.float16,
  float64: DataType.double,
  uint32: DataType.uint32,
  uint64: DataType.uint64,
} as const;

export type OrtType = keyof typeof ORT_TYPES;

const NAMES = new Map(Object.entries(ORT_TYPES).map(([name, type]) => [type as number, name as OrtType]));

/** The name of an element type. Throws RangeError for one that onnxruntime cannot be fed. */
export function ortType(type: number): OrtType {
  const name = NAMES.get(type);
  if (name === undefined) throw new RangeError(`cannot feed element type ${type}`);
  return name;
}
