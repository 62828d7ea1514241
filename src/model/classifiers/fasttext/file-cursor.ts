/** @file A large binary file read from its start to its end, a piece at a time: nothing is allocated by what it claims of its size. */
import { closeSync, fstatSync, readSync } from 'node:fs';
import { openToRead } from '../../../files/read.js';

const PIECE = 1 << 20;

export class FileCursor {
  readonly #file: number;
  readonly #size: number;
  #piece: Buffer = Buffer.alloc(0);
  /** Where in the piece the next byte stands. */
  #at = 0;
  /** Bytes before the piece's end, in the file. */
  #read = 0;

  /** `broken`: the error for a file that ends too early. */
  constructor(
    path: string,
    private readonly broken: (what: string) => Error,
  ) {
    this.#file = openToRead(path);
    this.#size = fstatSync(this.#file).size;
  }

  /** Bytes to the end of the file. */
  get remaining(): number {
    return this.#size - this.#read + (this.#piece.length - this.#at);
  }

  byte(): number {
    return this.#take(1).readUInt8();
  }

  int32(): number {
    return this.#take(4).readInt32LE();
  }

  int64(): number {
    return Number(this.#take(8).readBigInt64LE());
  }

  skip(bytes: number): void {
    this.#take(bytes);
  }

  /** Up to a zero byte, a character a byte. */
  text(most: number): string {
    let text = '';
    for (;;) {
      if (this.#at === this.#piece.length) this.#fill(1);
      const end = this.#piece.indexOf(0, this.#at);
      text += this.#piece.toString('latin1', this.#at, end < 0 ? this.#piece.length : end);
      if (text.length > most) throw this.broken(`a word of more than ${most} bytes`);
      this.#at = end < 0 ? this.#piece.length : end + 1;
      if (end >= 0) return text;
    }
  }

  floats(count: number): Float32Array {
    if (count * 4 > this.remaining) throw this.broken('it breaks off');
    const values = new Float32Array(count);
    const bytes = new Uint8Array(values.buffer);
    for (let to = 0; to < bytes.length; ) {
      if (this.#at === this.#piece.length) this.#fill(1);
      const part = this.#piece.subarray(this.#at, this.#at + bytes.length - to);
      bytes.set(part, to);
      to += part.length;
      this.#at += part.length;
    }
    return values;
  }

  close(): void {
    closeSync(this.#file);
  }

  #take(bytes: number): Buffer {
    if (this.#piece.length - this.#at < bytes) this.#fill(bytes);
    this.#at += bytes;
    return this.#piece.subarray(this.#at - bytes, this.#at);
  }

  /** Reads until at least this many bytes are available. */
  #fill(bytes: number): void {
    if (this.remaining < bytes) throw this.broken('it breaks off');
    const rest = this.#piece.subarray(this.#at);
    const piece = Buffer.alloc(Math.min(Math.max(PIECE, bytes), this.remaining));
    rest.copy(piece);
    let length = rest.length;
    while (length < piece.length) {
      const got = readSync(this.#file, piece, length, piece.length - length, this.#read);
      if (got === 0) throw this.broken('it breaks off');
      length += got;
      this.#read += got;
    }
    this.#piece = piece;
    this.#at = 0;
  }
}
