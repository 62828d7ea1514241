/**
 * @file Unpacks an LZ4 frame, as Arrow files contain (https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md). Checksums are not
 * compared. Throws an Error for damaged bytes.
 */
import { must } from '../src/core/errors.js';

const MAGIC = 0x184d2204;
const UNPACKED = 0x8000_0000;
/** A match is at least this long. */
const MIN_MATCH = 4;

/** `size`: bytes of the result. */
export function unpackLz4Frame(frame: Uint8Array, size: number): Uint8Array {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  if (view.getUint32(0, true) !== MAGIC) throw new Error('no LZ4 frame');
  const flags = view.getUint8(4);
  const [blockChecksums, contentSize, dictionary] = [flags & 0x10, flags & 0x08, flags & 0x01];
  if (dictionary) throw new Error('an LZ4 frame with a dictionary');
  let at = 7 + (contentSize ? 8 : 0);
  const unpacked = new Uint8Array(size);
  let end = 0;
  for (;;) {
    const head = view.getUint32(at, true);
    at += 4;
    if (head === 0) break;
    const length = head & ~UNPACKED;
    const block = frame.subarray(at, at + length);
    if (block.length < length) throw new Error('a cut LZ4 block');
    if (head & UNPACKED) {
      unpacked.set(block, end);
      end += length;
    } else end = unpackBlock(block, unpacked, end);
    at += length + (blockChecksums ? 4 : 0);
  }
  if (end !== size) throw new Error(`${end} bytes in an LZ4 frame of ${size}`);
  return unpacked;
}

/** Where the block's bytes end in `unpacked`. A match may begin in an earlier block. */
function unpackBlock(block: Uint8Array, unpacked: Uint8Array, start: number): number {
  let [from, to] = [0, start];
  const longer = (length: number): number => {
    if (length < 15) return length;
    for (let byte = 255, sum = length; ; ) {
      if (from >= block.length) throw new Error('a cut LZ4 block');
      byte = must(block[from++]);
      sum += byte;
      if (byte < 255) return sum;
    }
  };
  while (from < block.length) {
    const token = must(block[from++]);
    const literals = longer(token >> 4);
    if (from + literals > block.length || to + literals > unpacked.length) throw new Error('a damaged LZ4 block');
    unpacked.set(block.subarray(from, from + literals), to);
    from += literals;
    to += literals;
    if (from === block.length) break; // The last sequence has no match.
    const offset = must(block[from]) | ((block[from + 1] ?? 0) << 8);
    from += 2;
    const match = longer(token & 15) + MIN_MATCH;
    if (offset === 0 || offset > to || to + match > unpacked.length) throw new Error('a damaged LZ4 block');
    // Byte by byte: a match may overlap itself.
    for (const end = to + match; to < end; to++) unpacked[to] = must(unpacked[to - offset]);
  }
  return to;
}
