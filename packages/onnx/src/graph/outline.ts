/**
 * @file A large model file without its large tensors: they are found, skipped, and read from the file when asked for. So a
 * graph can be looked at, and its weights taken one by one, without holding the file in memory.
 */
import { closeSync, fstatSync, readSync } from 'node:fs';
import { openToRead } from '../read-file.js';
import { writeExternal } from './external-tensor.js';
import { type FieldPlace, Message, malformed, places } from './wire.js';

/** The external location that stands for the model file itself. No path can contain a NUL. */
export const SELF = '\0';

/** Tensors of fewer bytes are read along. */
const LARGE_TENSOR_BYTES = 16_384;
/** Bytes read at once while looking for the next field. */
const WINDOW_BYTES = 65_536;

/**
 * The bytes of a model that says the same, except that its large tensors are external data of the file itself (SELF).
 * Throws OnnxError (MODEL_DAMAGED), and what the file system throws.
 */
export function readOutline(path: string): Uint8Array {
  const file = new File(path);
  try {
    return model(file).build();
  } finally {
    file.close();
  }
}

function model(file: File): Message {
  return copy(file, 0, file.size, (field) => (field.number === 7 ? graph(file, field) : undefined));
}

function graph(file: File, { from, end }: FieldPlace): Message {
  return copy(file, from, end, (field) => (field.number === 5 ? tensor(file, field) : undefined));
}

function tensor(file: File, { from, end }: FieldPlace): Message {
  let raw: FieldPlace | undefined;
  const message = copy(file, from, end, (field) => {
    if (field.number !== 9 || field.end - field.from < LARGE_TENSOR_BYTES) return undefined;
    raw = field;
    return new Message();
  });
  if (raw === undefined) return message;
  return writeExternal(message, { location: SELF, offset: raw.from, length: raw.end - raw.from });
}

/** A message with its large parts replaced: what `replace` returns stands for the field's content, nothing for an empty one. */
function copy(file: File, from: number, end: number, replace: (field: FieldPlace) => Message | undefined): Message {
  const message = new Message();
  for (const field of places((at) => file.byte(at), from, end)) {
    const large = field.wire === 2 && field.end - field.from >= LARGE_TENSOR_BYTES;
    const part = large ? replace(field) : undefined;
    if (part === undefined) message.raw(file.bytes(field.start, field.end));
    else if (part.length > 0) message.message(field.number, part);
  }
  return message;
}

class File {
  readonly size: number;
  readonly #file: number;
  readonly #window = new Uint8Array(WINDOW_BYTES);
  #start = 0;
  #end = 0;

  constructor(path: string) {
    this.#file = openToRead(path);
    this.size = fstatSync(this.#file).size;
  }

  close(): void {
    closeSync(this.#file);
  }

  bytes(from: number, to: number): Uint8Array {
    if (from >= this.#start && to <= this.#end) return this.#window.slice(from - this.#start, to - this.#start);
    const bytes = new Uint8Array(to - from);
    for (let at = 0; at < bytes.length; ) {
      const read = readSync(this.#file, bytes, at, bytes.length - at, from + at);
      if (read === 0) throw malformed(`the file shrank to ${from + at} bytes while it was read`);
      at += read;
    }
    return bytes;
  }

  byte(at: number): number {
    if (at < this.#start || at >= this.#end) {
      this.#start = at;
      this.#end = at + readSync(this.#file, this.#window, 0, WINDOW_BYTES, at);
      if (this.#end === at) throw malformed(`the file shrank to ${at} bytes while it was read`);
    }
    return this.#window[at - this.#start]!;
  }
}
