import { lineBlocks } from '../files/line-blocks.js';

export interface JournalLine {
  /** Without the line feed. */
  readonly text: string;
  /** In bytes, from the start of the file; the line's own bytes exclude the line feed. */
  readonly start: number;
  readonly bytes: number;
}

/**
 * The whole lines of a UTF-8 file, in order and streaming; what follows the last line feed is left out. Only a line feed ends a line:
 * node:readline also splits at U+2028 and U+2029, which JSON leaves as they are inside strings. `seen` gets all bytes.
 */
export async function* linesOf(path: string, seen?: (bytes: Uint8Array) => void): AsyncGenerator<JournalLine> {
  let start = 0; // of the block in the file
  for await (const bytes of lineBlocks(path)) {
    seen?.(bytes);
    const block = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let from = 0;
    for (let end = block.indexOf(10); end >= 0; end = block.indexOf(10, from)) {
      yield { text: block.toString('utf8', from, end), start: start + from, bytes: end - from };
      from = end + 1;
    }
    start += block.length;
  }
}
