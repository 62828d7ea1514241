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

/** Default type of a typed array: the first that it holds. */
export function typeOf(data: TypedArray): number {
  const [type = DataType.uint8] = Object.entries(ARRAYS).find(([, Elements]) => data instanceof Elements) ?? [];
  return Number(type);
}

const { float, double, bfloat16, ...sameName } = DataType;
/** Element types by the names that onnxruntime has for them; it cannot be fed bfloat16. */
export const ORT_TYPES = { ...sameName, float32: float, float64: double } as const;

export type OrtType = keyof typeof ORT_TYPES;

const NAMES = new Map(Object.entries(ORT_TYPES).map(([name, type]) => [type as number, name as OrtType]));

/** The name of an element type. Throws RangeError for one that onnxruntime cannot be fed. */
export function ortType(type: number): OrtType {
  const name = NAMES.get(type);
  if (name === undefined) throw new RangeError(`cannot feed element type ${type}`);
  return name;
}
