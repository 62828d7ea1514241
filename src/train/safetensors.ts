/**
 * @file The safetensors format (Hugging Face): a little-endian u64 length, a JSON header, raw tensors. Single-precision
 * only; what checkpoints are kept in.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { ModelError } from '../core/errors.js';

export interface TensorFile {
  readonly tensors: ReadonlyMap<string, Float32Array>;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Longest header read: the format's own bound (100 MB). */
const MAX_HEADER_BYTES = 100_000_000;

/** The file's content as chunks, to be written one after the other. */
export function* safetensors({ tensors, metadata }: TensorFile): Generator<Uint8Array> {
  const header: Record<string, unknown> = { __metadata__: metadata };
  let offset = 0;
  for (const [name, values] of tensors) {
    header[name] = { dtype: 'F32', shape: [values.length], data_offsets: [offset, offset + values.byteLength] };
    offset += values.byteLength;
  }
  const json = Buffer.from(JSON.stringify(header));
  // The data start at a multiple of 8; the format pads the header with spaces.
  const padded = Buffer.concat([json, Buffer.alloc(-json.length & 7, ' ')]);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(padded.length));
  yield length;
  yield padded;
  for (const values of tensors.values()) yield new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

/** Reads such a file. Throws ModelError where it is damaged. */
export async function readSafetensors(path: string): Promise<TensorFile> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const length = Number((await bytes(file, path, 0, 8)).readBigUInt64LE());
    if (length > Math.min(MAX_HEADER_BYTES, size - 8)) throw damagedFile(path, `a header of ${length} bytes`);
    const header = parse(path, (await bytes(file, path, 8, length)).toString('utf8'));
    const tensors = new Map<string, Float32Array>();
    for (const [name, entry] of Object.entries(header)) {
      if (name === '__metadata__') continue;
      const [from, to] = offsets(path, name, entry, size - 8 - length);
      const values = new Float32Array((to - from) / 4);
      await fillFrom(file, path, new Uint8Array(values.buffer), 8 + length + from);
      tensors.set(name, values);
    }
    const metadata = header.__metadata__ ?? {};
    if (typeof metadata !== 'object' || Object.values(metadata).some((value) => typeof value !== 'string')) {
      throw damagedFile(path, 'metadata that are no strings');
    }
    return { tensors, metadata: metadata as Record<string, string> };
  } finally {
    await file.close();
  }
}

function parse(path: string, json: string): Record<string, unknown> {
  try {
    const header: unknown = JSON.parse(json);
    if (typeof header === 'object' && header !== null) return header as Record<string, unknown>;
  } catch {
    // Reported below.
  }
  throw damagedFile(path, 'a header that is not a JSON object');
}

function offsets(path: string, name: string, entry: unknown, available: number): [number, number] {
  const { dtype, data_offsets } = (entry ?? {}) as { dtype?: unknown; data_offsets?: unknown };
  const [from, to] = Array.isArray(data_offsets) ? (data_offsets as number[]) : [];
  const sound = Number.isSafeInteger(from) && Number.isSafeInteger(to) && from! >= 0;
  const size = to! - from!;
  if (dtype !== 'F32' || !sound || size < 0 || size % 4 !== 0 || to! > available) {
    throw damagedFile(path, `tensor "${name}" as ${JSON.stringify(entry)}`);
  }
  return [from!, to!];
}

async function bytes(file: FileHandle, path: string, at: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  await fillFrom(file, path, buffer, at);
  return buffer;
}

async function fillFrom(file: FileHandle, path: string, into: Uint8Array, at: number): Promise<void> {
  let done = 0;
  while (done < into.length) {
    // One read may return at most 2 GiB.
    const { bytesRead } = await file.read(into, done, Math.min(into.length - done, 2 ** 30), at + done);
    if (bytesRead === 0) throw damagedFile(path, 'a file that ends too early');
    done += bytesRead;
  }
}

/** The error for a file that is not a checkpoint, or is truncated. */
export const damagedFile = (path: string, got: string): ModelError =>
  new ModelError(`${path}: expected a checkpoint in safetensors format, got ${got}`, {
    code: 'CHECKPOINT_DAMAGED',
    hint: 'Start the training afresh, without --resume.',
  });
