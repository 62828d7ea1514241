/** @file Lines as a stream of bytes: only one block is in memory, however large the file. */
import { createReadStream } from './read.js';

const LF = 0x0a;

/**
 * The bytes of a file in blocks that end with a line feed, except the last one of a file that does not; `bytes` are the file's, unpacked.
 * Throws the error made by `tooLong` if a line has more than `maxBytes`, and the file system's errors.
 */
export async function* lineBlocks(
  path: string,
  maxBytes: number = Number.POSITIVE_INFINITY,
  tooLong: () => Error = () => new RangeError(`${path}: expected lines of at most ${maxBytes} bytes`),
  bytes?: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let open: Uint8Array[] = []; // The line whose end was not read yet.
  let size = 0;
  const chunks: AsyncIterable<Uint8Array> = bytes ?? createReadStream(path, { highWaterMark: 64 * 1024 });
  for await (const chunk of chunks) {
    const cut = chunk.lastIndexOf(LF) + 1;
    if (cut > 0) {
      yield Buffer.concat([...open, chunk.subarray(0, cut)]);
      open = [];
      size = 0;
    }
    open.push(chunk.subarray(cut));
    size += chunk.length - cut;
    if (size > maxBytes) throw tooLong();
  }
  if (size > 0) yield Buffer.concat(open);
}
