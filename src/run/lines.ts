import { open } from 'node:fs/promises';

export interface JournalLine {
  /** Without the line feed. */
  readonly text: string;
  /** In bytes, from the start of the file; the line's own bytes exclude the line feed. */
  readonly start: number;
  readonly bytes: number;
}

const CHUNK_BYTES = 1 << 16;

/**
 * The whole lines of a UTF-8 file, in order and streaming; what follows the last line feed is left out. Only a line
 * feed ends a line: node:readline also splits at U+2028 and U+2029, which JSON leaves as they are inside strings. `seen` is told
 * of all bytes.
 */
export async function* linesOf(path: string, seen?: (chunk: Uint8Array) => void): AsyncGenerator<JournalLine> {
  const file = await open(path, 'r');
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    let pieces: Buffer[] = []; // of the line begun in earlier chunks
    let start = 0;
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES);
      if (bytesRead === 0) return;
      seen?.(chunk.subarray(0, bytesRead));
      let from = 0;
      for (let end = chunk.indexOf(10); end >= 0 && end < bytesRead; end = chunk.indexOf(10, from)) {
        const bytes = Buffer.concat([...pieces, chunk.subarray(from, end)]);
        yield { text: bytes.toString('utf8'), start, bytes: bytes.length };
        pieces = [];
        start += bytes.length + 1;
        from = end + 1;
      }
      if (from < bytesRead) pieces.push(Buffer.from(chunk.subarray(from, bytesRead)));
    }
  } finally {
    await file.close();
  }
}
