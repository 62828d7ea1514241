/**
 * @file The binary extension of KServe V2 (https://docs.nvidia.com/deeplearning/triton-inference-server, extension_binary_data): tensors follow the
 * JSON as bytes, and a header has the JSON's length. A text is its length (uint32) and its UTF-8; numbers are little-endian and row-major.
 */
import { bfloatToFloat, halfToFloat } from '../../packages/onnx/src/half.js';

export const JSON_LENGTH = 'inference-header-content-length';

/** A body of JSON and tensors, with its headers. */
export function joinTensors(json: object, tensors: readonly Buffer[]) {
  const head = Buffer.from(JSON.stringify(json));
  return {
    headers: { 'content-type': 'application/octet-stream', [JSON_LENGTH]: String(head.length) },
    bytes: Buffer.concat([head, ...tensors]),
  };
}

/** The parts of such a body, given the header; undefined if it does not fit the body. */
export function splitTensors(bytes: Buffer, header: string): { json: string; tensors: Buffer } | undefined {
  const length = Number(header);
  if (!Number.isInteger(length) || length < 2 || length > bytes.length) return undefined;
  return { json: bytes.toString('utf8', 0, length), tensors: bytes.subarray(length) };
}

export const writeTexts = (texts: readonly string[]): Buffer =>
  Buffer.concat(
    texts.flatMap((text) => {
      const bytes = Buffer.from(text, 'utf8');
      const length = Buffer.alloc(4);
      length.writeUInt32LE(bytes.length);
      return [length, bytes];
    }),
  );

/** Undefined if the last text ends early. */
export function readTexts(bytes: Buffer): string[] | undefined {
  const found: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 <= bytes.length ? at + 4 + bytes.readUInt32LE(at) : Number.POSITIVE_INFINITY;
    if (end > bytes.length) return undefined;
    found.push(bytes.toString('utf8', at + 4, end));
    at = end;
  }
  return found;
}

export function writeFloats(data: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * data.length);
  data.forEach((value, at) => {
    bytes.writeFloatLE(value, 4 * at);
  });
  return bytes;
}

const READERS: Readonly<Record<string, readonly [bytes: number, read: (bytes: Buffer, at: number) => number]>> = {
  FP64: [8, (bytes, at) => bytes.readDoubleLE(at)],
  FP32: [4, (bytes, at) => bytes.readFloatLE(at)],
  FP16: [2, (bytes, at) => halfToFloat(bytes.readUInt16LE(at))],
  BF16: [2, (bytes, at) => bfloatToFloat(bytes.readUInt16LE(at))],
  INT64: [8, (bytes, at) => Number(bytes.readBigInt64LE(at))],
  INT32: [4, (bytes, at) => bytes.readInt32LE(at)],
  UINT64: [8, (bytes, at) => Number(bytes.readBigUInt64LE(at))],
  UINT32: [4, (bytes, at) => bytes.readUInt32LE(at)],
};

/** Numbers, or texts of the type BYTES; undefined if the bytes are not of the type. */
export function readTensor(datatype: string, bytes: Buffer): (number | string)[] | undefined {
  if (datatype === 'BYTES') return readTexts(bytes);
  const [size, read] = READERS[datatype] ?? [];
  if (size === undefined || read === undefined || bytes.length % size !== 0) return undefined;
  return Array.from({ length: bytes.length / size }, (_, at) => read(bytes, at * size));
}
