/** @file A tensor whose values are read only when asked for: most of a 250 MB model is never looked at. */
import { OnnxError } from '../errors.js';
import { bfloatsToFloats, halvesToFloats } from '../half.js';
import { arrayOf, DataType, type TypedArray, typeName, typeOf } from './data-type.js';

/** Where a tensor's bytes lie outside the model file (onnx.proto, TensorProto.external_data). */
export interface ExternalData {
  /** Path relative to the model file's folder. */
  readonly location: string;
  readonly offset: number;
  /** In bytes; undefined means to the end of the file. */
  readonly length: number | undefined;
}

interface TensorParts {
  readonly name: string;
  /** A code of DataType, or one we only carry along. */
  readonly type: number;
  readonly dims: readonly number[];
  readonly external?: ExternalData | undefined;
  /** The message it was read from: fields we do not model survive in it. */
  readonly source?: Uint8Array | undefined;
  /** Reads the elements; called again only by `once`. */
  readonly read: () => TypedArray;
  /** Reads the elements of a string tensor. */
  readonly readStrings?: () => string[];
}

/** Value of a graph input. */
export interface Feed {
  /** Element type: see DataType. */
  readonly type: number;
  readonly dims: readonly number[];
  /** Row-major. */
  readonly data: TypedArray;
}

export class Tensor {
  readonly name: string;
  readonly type: number;
  readonly dims: readonly number[];
  readonly external: ExternalData | undefined;
  readonly source: Uint8Array | undefined;
  readonly #parts: TensorParts;
  #data: TypedArray | undefined;

  constructor(parts: TensorParts) {
    this.name = parts.name;
    this.type = parts.type;
    this.dims = parts.dims;
    this.external = parts.external;
    this.source = parts.source;
    this.#parts = parts;
  }

  /** A tensor of given elements, row-major; throws RangeError unless there are as many as the dimensions say. */
  static of(name: string, dims: readonly number[], data: TypedArray, type: number = typeOf(data)): Tensor {
    const size = dims.reduce((product, d) => product * d, 1);
    if (size !== data.length) {
      throw new RangeError(`tensor "${name}": expected ${size} elements for [${dims}], got ${data.length}`);
    }
    return new Tensor({ name, type, dims, read: () => data });
  }

  /** Number of elements. */
  get size(): number {
    return this.dims.reduce((product, d) => product * d, 1);
  }

  /** The elements, row-major; shared with every other reader, so never write to it. Throws OnnxError for strings and unknown types. */
  get data(): TypedArray {
    this.#data ??= this.#parts.read();
    return this.#data;
  }

  /** The elements, not cached: for a single use, such as copying into another file. */
  once(): TypedArray {
    return this.#data ?? this.#parts.read();
  }

  /** The elements of a string tensor. */
  get strings(): string[] {
    if (this.#parts.readStrings === undefined) throw this.#unreadable('strings');
    return this.#parts.readStrings();
  }

  /** The elements as single precision: widened from 16 bits, narrowed from double. A copy unless they are single already. */
  floats(): Float32Array {
    const { data, type } = this;
    if (data instanceof Float32Array) return data;
    if (type === DataType.float16) return halvesToFloats(data as Uint16Array);
    if (type === DataType.bfloat16) return bfloatsToFloats(data as Uint16Array);
    if (data instanceof Float64Array) return Float32Array.from(data);
    throw this.#unreadable('floating-point numbers');
  }

  /** The elements of an integer or boolean tensor as numbers. */
  integers(): number[] {
    if (this.type === DataType.float16 || this.type === DataType.bfloat16) throw this.#unreadable('integers');
    return Array.from(this.data, Number);
  }

  withName(name: string): Tensor {
    return new Tensor({ ...this.#parts, name });
  }

  #unreadable(wanted: string): OnnxError {
    return new OnnxError(`tensor "${this.name}": expected ${wanted}, got ${typeName(this.type)}`, {
      code: 'MODEL_UNSUPPORTED',
    });
  }
}

/** Elements of raw little-endian bytes. Throws OnnxError where type or length do not fit. */
export function elements(name: string, type: number, size: number, raw: Uint8Array): TypedArray {
  const Elements = arrayOf(type);
  if (Elements === undefined) {
    throw new OnnxError(`tensor "${name}": cannot read elements of ${typeName(type)}`, { code: 'MODEL_UNSUPPORTED' });
  }
  const width = Elements.BYTES_PER_ELEMENT;
  if (raw.byteLength !== size * width)
    throw new OnnxError(
      `tensor "${name}": expected ${size} elements of ${typeName(type)} (${size * width} bytes), got ${raw.byteLength} bytes`,
      { code: 'MODEL_DAMAGED', hint: 'Download or export the model again.' },
    );
  // A view where the bytes are aligned; a copy otherwise.
  if (raw.byteOffset % width === 0) return new Elements(raw.buffer, raw.byteOffset, size);
  return new Elements(raw.slice().buffer, 0, size);
}
