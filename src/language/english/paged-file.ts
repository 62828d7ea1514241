/** @file A large read-only file in compressed blocks, read on demand: a look-up decompresses the few blocks that it touches, 0.1 ms each. */
import { openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';

/** Bytes of a block. A binary search touches few pages, and the next synset is often on the same one. bin/vendor.js writes them. */
const PAGE_BYTES = 32 * 1024;
const NEWLINE = 0x0a;

interface BlockIndex {
  readonly size: number;
  readonly ends: readonly number[];
}

/** A sorted text file with lines ending in "\n". Reading past its end gives newlines. */
export class PagedFile {
  readonly size: number;
  readonly #descriptor: number;
  /** Address space for the whole file; only loaded pages take memory. */
  readonly #bytes: Buffer;
  readonly #loaded: Uint8Array;

  /** Where each block ends in the compressed file. */
  readonly #ends: readonly number[];

  /** Throws the system's error if the file, or the index of its folder, cannot be read. */
  constructor(folder: string, name: string) {
    const index = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')) as Record<string, BlockIndex>;
    const { size, ends } = index[name] as BlockIndex;
    this.#descriptor = openSync(join(folder, name), 'r');
    this.size = size;
    this.#ends = ends;
    this.#bytes = Buffer.allocUnsafeSlow(this.size);
    this.#loaded = new Uint8Array(Math.ceil(this.size / PAGE_BYTES));
  }

  byte(at: number): number {
    if (at >= this.size) return NEWLINE;
    const page = Math.floor(at / PAGE_BYTES);
    if (this.#loaded[page] === 0) this.#load(page);
    return this.#bytes[at]!;
  }

  /** The line that starts at `start`, without its newline. */
  line(start: number): string {
    let end = start;
    while (this.byte(end) !== NEWLINE) end++;
    return this.#bytes.toString('latin1', start, end);
  }

  /** The whole file. */
  text(): string {
    for (let page = 0; page < this.#loaded.length; page++) if (this.#loaded[page] === 0) this.#load(page);
    return this.#bytes.toString('latin1');
  }

  /** Start of the line after the one that contains `at`. */
  nextLine(at: number): number {
    let end = at;
    while (this.byte(end) !== NEWLINE) end++;
    return end + 1;
  }

  /** Start of the first line that is not below `prefix` in byte order, or undefined if that line does not begin with it. */
  find(prefix: string): number | undefined {
    let low = 0;
    let high = this.size; // the answer lies in [low, high], both starts of lines
    while (low < high) {
      let start = (low + high) >>> 1;
      while (start > low && this.byte(start - 1) !== NEWLINE) start--;
      if (this.#compare(start, prefix) < 0) low = this.nextLine(start);
      else high = start;
    }
    return low < this.size && this.#compare(low, prefix) === 0 ? low : undefined;
  }

  /** Negative if the line sorts before every line with the prefix; 0 if it begins with the prefix. */
  #compare(start: number, prefix: string): number {
    for (let i = 0; i < prefix.length; i++) {
      const difference = this.byte(start + i) - prefix.charCodeAt(i);
      if (difference !== 0) return difference;
    }
    return 0;
  }

  #load(page: number): void {
    const from = this.#ends[page - 1] ?? 0;
    const block = Buffer.allocUnsafe((this.#ends[page] as number) - from);
    for (let read = 0; read < block.length; ) {
      const got = readSync(this.#descriptor, block, read, block.length - read, from + read);
      if (got === 0) throw new Error(`the file ended at byte ${from + read}, expected ${this.#ends.at(-1)} bytes`);
      read += got;
    }
    inflateRawSync(block).copy(this.#bytes, page * PAGE_BYTES);
    this.#loaded[page] = 1;
  }
}
