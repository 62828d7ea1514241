/**
 * @file The binary extension of KServe V2: tensors stand as bytes behind the JSON, whose length a header tells. A text is its length
 * (uint32) and its UTF-8 bytes, numbers are little-endian and row-major.
 */
import { bfloatToFloat, halfToFloat } from '../../core/half.js';
import { isObject, parseAnswer } from '../json.js';
import { garbled } from '../protocol.js';
import { headerOf } from '../retry-after.js';
import type { WireAnswer } from '../transport.js';

const HEADER = 'inference-header-content-length';

/** The request for texts in an input, which asks for its outputs as bytes, too. */
export function binaryRequest(input: object, texts: readonly string[], outputs: { outputs?: readonly object[] }) {
  const parts = texts.flatMap((text) => {
    const bytes = Buffer.from(text, 'utf8');
    const length = Buffer.alloc(4);
    length.writeUInt32LE(bytes.length);
    return [length, bytes];
  });
  const raw = Buffer.concat(parts);
  const wanted = outputs.outputs?.map((each) => {
    const { parameters } = each as { parameters?: object };
    return { ...each, parameters: { ...parameters, binary_data: true } };
  });
  const json = Buffer.from(
    JSON.stringify({
      inputs: [{ ...input, parameters: { binary_data_size: raw.length } }],
      ...(wanted ? { outputs: wanted } : { parameters: { binary_data_output: true } }),
    }),
  );
  return {
    headers: { 'content-type': 'application/octet-stream', [HEADER]: String(json.length) },
    body: Buffer.concat([json, raw]),
  };
}

/** The answer with the data of its tensors put in; undefined of an answer without bytes behind its JSON. Throws PassingFault. */
export function readBinary({ headers, bytes: body }: WireAnswer): unknown {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const written = headerOf(headers, HEADER);
  if (written === undefined) return undefined;
  const length = Number(written);
  if (!Number.isInteger(length) || length > bytes.length) throw garbled(`${written} bytes of JSON`, `${bytes.length}`);
  const head = parsed(bytes.subarray(0, length).toString('utf8'));
  if (!isObject(head) || !Array.isArray(head.outputs)) throw garbled('outputs', head);
  let at = length;
  const outputs = head.outputs.map((each: unknown) => {
    const size = isObject(each) && isObject(each.parameters) ? each.parameters.binary_data_size : undefined;
    if (!isObject(each) || typeof size !== 'number') return each;
    if (!(size >= 0 && at + size <= bytes.length))
      throw garbled(`${size} bytes of "${each.name}"`, `${bytes.length - at}`);
    const data = decoded(bytes.subarray(at, at + size), String(each.datatype));
    at += size;
    return { ...each, data };
  });
  return { ...head, outputs };
}

function parsed(text: string): unknown {
  try {
    return parseAnswer(text);
  } catch (cause) {
    throw garbled(`JSON (${(cause as Error).message})`, text.slice(0, 60));
  }
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

function decoded(bytes: Buffer, datatype: string): (number | string)[] {
  if (datatype === 'BYTES') return texts(bytes);
  const reader = READERS[datatype];
  if (reader === undefined || bytes.length % reader[0] !== 0)
    throw garbled('numbers', `${bytes.length} of ${datatype}`);
  const [size, read] = reader;
  return Array.from({ length: bytes.length / size }, (_, at) => read(bytes, at * size));
}

function texts(bytes: Buffer): string[] {
  const found: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = at + 4 <= bytes.length ? bytes.readUInt32LE(at) : Number.POSITIVE_INFINITY;
    if (at + 4 + length > bytes.length) throw garbled('texts with their lengths', 'fewer bytes');
    found.push(bytes.subarray(at + 4, at + 4 + length).toString('utf8'));
    at += 4 + length;
  }
  return found;
}
