/** @file Bytes of a file as a stream. Compression is detected by the first bytes, whatever the file name. */
import { closeSync, readSync } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { RobustError } from '../src/core/errors.js';
import { createReadStream, openToRead } from '../src/files/read.js';

export type Packing = 'gzip' | 'zstd';

/** RFC 1952, section 2.3.1; RFC 8878, section 3.1.1. */
const MAGIC: readonly (readonly [Packing, Buffer])[] = [
  ['gzip', Buffer.from([0x1f, 0x8b])],
  ['zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd])],
];

/** Compression of the file, or undefined. */
export function packingOf(path: string): Packing | undefined {
  const head = Buffer.alloc(4);
  const file = openToRead(path);
  try {
    readSync(file, head, 0, head.length, 0);
  } finally {
    closeSync(file);
  }
  return MAGIC.find(([, magic]) => head.subarray(0, magic.length).equals(magic))?.[0];
}

/** Throws RobustError if the compressed data are damaged or truncated. */
export async function* bytesOf(path: string): AsyncGenerator<Buffer> {
  const packing = packingOf(path);
  const packed: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: 64 * 1024 });
  if (packing === undefined) return yield* packed;
  try {
    // Errors of either stream end the other and reach the loop.
    if (packing === 'gzip') yield* pipeline(packed, createGunzip(), () => {});
    else yield* decompressZstd(packed);
  } catch (cause) {
    if (cause instanceof RobustError || (cause as NodeJS.ErrnoException).syscall !== undefined) throw cause;
    throw new RobustError(`${path}: expected a ${packing} file, got a damaged one: ${(cause as Error).message}`, {
      code: 'DATA_DAMAGED',
      hint: 'It may be truncated: copy or download it again.',
      cause,
    });
  }
}

/** Node 20 has no built-in zstd. */
async function* decompressZstd(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const { Decompress } = await import('fzstd');
  const parts: Uint8Array[] = [];
  const decompress = new Decompress((part) => {
    parts.push(part);
  });
  const unpacked = (): Buffer[] =>
    parts.splice(0).map((part) => Buffer.from(part.buffer, part.byteOffset, part.length));
  for await (const chunk of packed) {
    decompress.push(chunk);
    yield* unpacked();
  }
  decompress.push(new Uint8Array(0), true);
  yield* unpacked();
}
