/** @file Where the lines of a journal stand, by ordinal: a bit each in memory, the rest in a file beside the journal. */
import { closeSync, ftruncateSync, readSync, rmSync } from 'node:fs';
import { openToWrite, writeAll } from '../files/write.js';
import { Bitmap } from './bitmap.js';

export interface LinePlace {
  /** In bytes from the start of the journal. */
  readonly start: number;
  /** Without the line feed. */
  readonly bytes: number;
}

/** A record: start (48 bits), bytes (32 bits), little-endian. */
const RECORD = 10;
/** Records read at once, where all are. */
const BLOCK = 4096;

/** The file is of this process only, and made again each time: all of it follows from the journal. */
export class LineIndex {
  readonly #path: string;
  readonly #file: number;
  readonly #there: Bitmap;
  readonly #record = Buffer.alloc(RECORD);

  /** `size`: number of ordinals. Throws the system's error, as all methods that write. */
  constructor(path: string, size: number) {
    this.#path = path;
    this.#file = openToWrite(path);
    ftruncateSync(this.#file);
    this.#there = new Bitmap(size);
  }

  has(ordinal: number): boolean {
    return this.#there.has(ordinal);
  }

  set(ordinal: number, { start, bytes }: LinePlace): void {
    this.#record.writeUIntLE(start, 0, 6);
    this.#record.writeUInt32LE(bytes, 6);
    writeAll(this.#file, this.#record, ordinal * RECORD);
    this.#there.add(ordinal);
  }

  /** The place of an ordinal that is present. */
  get(ordinal: number): LinePlace {
    readSync(this.#file, this.#record, 0, RECORD, ordinal * RECORD);
    return placeIn(this.#record, 0);
  }

  /** Ordinals below `end` in ascending order, with their places; undefined for those that are not there. */
  *places(end: number): Generator<[ordinal: number, place: LinePlace | undefined]> {
    const block = Buffer.alloc(BLOCK * RECORD);
    for (let from = 0; from < end; from += BLOCK) {
      readSync(this.#file, block, 0, block.length, from * RECORD);
      for (let ordinal = from; ordinal < Math.min(end, from + BLOCK); ordinal++) {
        yield [ordinal, this.has(ordinal) ? placeIn(block, (ordinal - from) * RECORD) : undefined];
      }
    }
  }

  /** Takes the file away. */
  close(): void {
    closeSync(this.#file);
    rmSync(this.#path, { force: true });
  }
}

const placeIn = (bytes: Buffer, at: number): LinePlace => ({
  start: bytes.readUIntLE(at, 6),
  bytes: bytes.readUInt32LE(at + 6),
});
