/**
 * @file The protobuf wire format (protobuf.dev/programming-guides/encoding), bounds-checked: what a hostile file claims is
 * compared with what is there before anything is read or allocated.
 */
import { OnnxError } from '../errors.js';
import { getOrCompute } from '../get-or-compute.js';

/** Where a field stands, by offsets of its message's source. */
export interface FieldPlace {
  readonly number: number;
  /** 0 varint, 1 eight bytes, 2 length-delimited, 5 four bytes. */
  readonly wire: number;
  /** Where its tag begins. */
  readonly start: number;
  /** Where the value begins and ends: the varint itself, or the content behind its length. */
  readonly from: number;
  readonly end: number;
}

/** A field in its message, which is decoded on demand. */
export interface Field extends FieldPlace {
  /** The value's bytes. A view, not a copy. */
  readonly bytes: Uint8Array;
}

/** The longest a 64-bit varint can be. */
const VARINT_BYTES = 10;

export function malformed(what: string): OnnxError {
  return new OnnxError(`expected an ONNX model, got a file that breaks off or is damaged: ${what}`, {
    code: 'MODEL_DAMAGED',
    hint: 'Download or export the model again; compare its size and checksum with the source.',
  });
}

/** The index after the varint that starts at `at`. */
function varintEnd(bytes: Uint8Array, at: number): number {
  for (let i = at; i < at + VARINT_BYTES; i++) {
    const byte = bytes[i];
    if (byte === undefined) throw malformed(`a number is cut off at byte ${i} of ${bytes.length}`);
    if (byte < 0x80) return i + 1;
  }
  throw malformed(`a number is longer than ${VARINT_BYTES} bytes at byte ${at}`);
}

/** An unsigned varint below 2^53: lengths and tags. */
function small(bytes: Uint8Array, start: number, end: number): number {
  let value = 0;
  for (let i = end - 1; i >= start; i--) value = value * 128 + (bytes[i]! & 0x7f);
  return value;
}

/** The fields of the message from one offset to another of what `byte` reads. Throws OnnxError where it holds no protobuf message. */
export function* places(byte: (at: number) => number | undefined, from: number, to: number): Generator<FieldPlace> {
  let at = from;
  /** The unsigned varint at `at`, which moves behind it: exact below 2^53, as tags and lengths are. */
  const varint = (): number => {
    let value = 0;
    for (let i = 0; i < VARINT_BYTES; i++) {
      const next = at < to ? byte(at) : undefined;
      if (next === undefined) throw malformed(`a number is cut off at byte ${at} of ${to}`);
      at++;
      value += (next & 0x7f) * 2 ** (7 * i);
      if (next < 0x80) return value;
    }
    throw malformed(`a number is longer than ${VARINT_BYTES} bytes at byte ${at}`);
  };
  while (at < to) {
    const start = at;
    const tag = varint();
    const number = Math.floor(tag / 8);
    const wire = tag % 8;
    if (number < 1 || number >= 2 ** 29) throw malformed(`field number ${number} at byte ${start}`);
    let content = at;
    if (wire === 0) varint();
    else if (wire === 1) at += 8;
    else if (wire === 5) at += 4;
    else if (wire === 2) {
      const length = varint();
      content = at;
      at += length;
    } else throw malformed(`wire type ${wire} at byte ${start}`);
    if (at > to) throw malformed(`field ${number} claims ${at - content} bytes where ${to - content} are left`);
    yield { number, wire, start, from: content, end: at };
  }
}

/** The fields of a message in file order. Throws OnnxError where the bytes are no protobuf message. */
export function* fields(message: Uint8Array): Generator<Field> {
  for (const place of places((at) => message[at], 0, message.length)) {
    yield { ...place, bytes: message.subarray(place.from, place.end) };
  }
}

function expectWire(field: Field, wire: number): void {
  if (field.wire !== wire) throw malformed(`field ${field.number} has wire type ${field.wire}, not ${wire}`);
}

function signed(bytes: Uint8Array, start: number, end: number): bigint {
  let value = 0n;
  for (let i = end - 1; i >= start; i--) value = (value << 7n) | BigInt(bytes[i]! & 0x7f);
  return BigInt.asIntN(64, value);
}

/** A signed 64-bit integer, as a number: exact to 2^53, rounded beyond (INT64_MAX as "to the end" stays huge). */
function int(field: Field): number {
  expectWire(field, 0);
  const { bytes } = field;
  return bytes.length < 8 ? small(bytes, 0, bytes.length) : Number(signed(bytes, 0, bytes.length));
}

/** A repeated integer, one a field or packed, as 64-bit integers. */
export function ints(field: Field): bigint[] {
  const { bytes } = field;
  if (field.wire === 0) return [signed(bytes, 0, bytes.length)];
  expectWire(field, 2);
  const values: bigint[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = varintEnd(bytes, at);
    values.push(signed(bytes, at, end));
    at = end;
  }
  return values;
}

/** A repeated float or double, one a field or packed: its little-endian bytes, a whole number of `width`-byte elements. */
export function fixedBytes(field: Field, width: 4 | 8): Uint8Array {
  if (field.wire !== 2) expectWire(field, width === 4 ? 5 : 1);
  if (field.bytes.length % width !== 0) throw malformed(`field ${field.number} has ${field.bytes.length} bytes`);
  return field.bytes;
}

function float(field: Field): number {
  expectWire(field, 5);
  return new DataView(field.bytes.buffer, field.bytes.byteOffset, 4).getFloat32(0, true);
}

/** The content of a string, bytes or message field. */
function content(field: Field): Uint8Array {
  expectWire(field, 2);
  return field.bytes;
}

const utf8 = new TextDecoder();

function string(field: Field): string {
  return utf8.decode(content(field));
}

/** Fields of a message by number. If a field that should be unique occurs several times, the last one counts. */
export class MessageFields {
  readonly #fields = new Map<number, Field[]>();

  /** Throws OnnxError where the bytes are no protobuf message. */
  constructor(message: Uint8Array) {
    for (const field of fields(message)) getOrCompute(this.#fields, field.number, () => []).push(field);
  }

  all(number: number): readonly Field[] {
    return this.#fields.get(number) ?? [];
  }

  last(number: number): Field | undefined {
    return this.#fields.get(number)?.at(-1);
  }

  /** 0 where it is left out. */
  int(number: number): number {
    const field = this.last(number);
    return field === undefined ? 0 : int(field);
  }

  /** 0 where it is left out. */
  float(number: number): number {
    const field = this.last(number);
    return field === undefined ? 0 : float(field);
  }

  /** Empty where it is left out. */
  string(number: number): string {
    const field = this.last(number);
    return field === undefined ? '' : string(field);
  }

  strings(number: number): string[] {
    return this.all(number).map(string);
  }

  /** A repeated integer. */
  ints(number: number): number[] {
    return this.all(number).flatMap(ints).map(Number);
  }

  message(number: number): Uint8Array | undefined {
    const field = this.last(number);
    return field && content(field);
  }

  messages(number: number): Uint8Array[] {
    return this.all(number).map(content);
  }
}

/** Bytes that are made when they are written. */
interface LaterBytes {
  readonly length: number;
  readonly make: () => Uint8Array;
}

/** Small chunks are written together, as many bytes at a time. */
const TOGETHER = 1 << 16;

/** A message being written: a list of chunks, copied once at the end. */
export class Message {
  readonly #chunks: (Uint8Array | LaterBytes)[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Bytes that are already fields. */
  raw(bytes: Uint8Array): this {
    this.#chunks.push(bytes);
    this.#length += bytes.length;
    return this;
  }

  int(number: number, value: number | bigint): this {
    return this.raw(varint(number * 8)).raw(varint(value));
  }

  float(number: number, value: number): this {
    return this.raw(varint(number * 8 + 5)).raw(new Uint8Array(new Float32Array([value]).buffer));
  }

  bytes(number: number, value: Uint8Array): this {
    return this.raw(varint(number * 8 + 2))
      .raw(varint(value.length))
      .raw(value);
  }

  /** Like `bytes`, for a number of bytes that are created when they are written: a model need not fit into memory. */
  later(number: number, length: number, make: () => Uint8Array): this {
    this.raw(varint(number * 8 + 2)).raw(varint(length));
    this.#chunks.push({ length, make });
    this.#length += length;
    return this;
  }

  string(number: number, value: string): this {
    return this.bytes(number, Buffer.from(value, 'utf8'));
  }

  message(number: number, value: Message): this {
    return this.raw(varint(number * 8 + 2))
      .raw(varint(value.length))
      .append(value);
  }

  /** The fields of another message after this one's. */
  append(other: Message): this {
    // One by one, because the number of arguments of a call is limited.
    for (const chunk of other.#chunks) this.#chunks.push(chunk);
    this.#length += other.#length;
    return this;
  }

  /** The bytes in order, large parts one at a time. */
  *chunks(): Generator<Uint8Array> {
    let small: Uint8Array[] = [];
    let size = 0;
    for (const chunk of this.#chunks) {
      if (chunk instanceof Uint8Array && chunk.length < TOGETHER) {
        small.push(chunk);
        size += chunk.length;
        if (size < TOGETHER) continue;
      }
      if (size > 0) yield Buffer.concat(small, size);
      if (!(chunk instanceof Uint8Array)) yield makeBytes(chunk);
      else if (chunk.length >= TOGETHER) yield chunk;
      small = [];
      size = 0;
    }
    if (size > 0) yield Buffer.concat(small, size);
  }

  build(): Uint8Array {
    const all = new Uint8Array(this.#length);
    let at = 0;
    for (const chunk of this.chunks()) {
      all.set(chunk, at);
      at += chunk.length;
    }
    return all;
  }
}

function makeBytes({ length, make }: LaterBytes): Uint8Array {
  const bytes = make();
  if (bytes.length !== length) throw new RangeError(`expected ${length} bytes, got ${bytes.length}`);
  return bytes;
}

function varint(value: number | bigint): Uint8Array {
  let rest = BigInt.asUintN(64, BigInt(value));
  const bytes: number[] = [];
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest === 0n ? low : low | 0x80);
  } while (rest !== 0n);
  return Uint8Array.from(bytes);
}
