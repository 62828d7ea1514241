/**
 * @file A large model file without its large tensors: they are found, skipped, and read from the file when asked for. So a
 * graph can be looked at, and its weights taken one by one, without holding the file in memory.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { Message, malformed } from './wire.js';

/** The external location that stands for the model file itself. No path can contain a NUL. */
export const SELF = '\0';

/** Tensors of fewer bytes are read along. */
const LARGE = 16_384;
/** Bytes read at once while looking for the next field. */
const WINDOW = 65_536;

/** A field of a message in a file: where it starts, where its content starts, where it ends. */
interface Place {
  readonly number: number;
  readonly wire: number;
  readonly start: number;
  readonly from: number;
  readonly end: number;
}

/**
 * The bytes of a model that says the same, except that its large tensors are external data of the file itself (SELF).
 * Throws ModelError (MODEL_MALFORMED), and what the file system throws.
 */
export function skim(path: string): Uint8Array {
  const file = new File(path);
  try {
    return model(file).build();
  } finally {
    file.close();
  }
}

function model(file: File): Message {
  return copied(file, 0, file.size, (field) => (field.number === 7 ? graph(file, field) : undefined));
}

function graph(file: File, { from, end }: Place): Message {
  return copied(file, from, end, (field) => (field.number === 5 ? tensor(file, field) : undefined));
}

function tensor(file: File, { from, end }: Place): Message {
  let raw: Place | undefined;
  const message = copied(file, from, end, (field) => {
    if (field.number !== 9 || field.end - field.from < LARGE) return undefined;
    raw = field;
    return new Message();
  });
  if (raw === undefined) return message;
  const entry = (key: string, value: string | number) =>
    message.message(13, new Message().string(1, key).string(2, String(value)));
  entry('location', SELF);
  entry('offset', raw.from);
  entry('length', raw.end - raw.from);
  return message.int(14, 1);
}

/** A message with its large parts replaced: what `replace` returns stands for the field's content, nothing for an empty one. */
function copied(file: File, from: number, end: number, replace: (field: Place) => Message | undefined): Message {
  const message = new Message();
  for (const field of file.fields(from, end)) {
    const large = field.wire === 2 && field.end - field.from >= LARGE;
    const part = large ? replace(field) : undefined;
    if (part === undefined) message.raw(file.bytes(field.start, field.end));
    else if (part.length > 0) message.message(field.number, part);
  }
  return message;
}

class File {
  readonly size: number;
  readonly #file: number;
  readonly #window = new Uint8Array(WINDOW);
  #start = 0;
  #end = 0;

  constructor(path: string) {
    this.#file = openSync(path, 'r');
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

  /** The fields of the message between two offsets. */
  *fields(from: number, to: number): Generator<Place> {
    for (let at = from; at < to; ) {
      const start = at;
      let tag: number;
      [tag, at] = this.#varint(at, to);
      const wire = tag % 8;
      let content = at;
      if (wire === 0) [, at] = this.#varint(at, to);
      else if (wire === 1) at += 8;
      else if (wire === 5) at += 4;
      else if (wire === 2) {
        let length: number;
        [length, content] = this.#varint(at, to);
        at = content + length;
      } else throw malformed(`wire type ${wire} at byte ${start}`);
      if (at > to)
        throw malformed(`a field at byte ${start} claims ${at - content} bytes where ${to - content} are left`);
      yield { number: Math.floor(tag / 8), wire, start, from: content, end: at };
    }
  }

  /** A number and the offset after it. */
  #varint(at: number, to: number): [number, number] {
    let value = 0;
    for (let i = 0; i < 10 && at + i < to; i++) {
      const byte = this.#byte(at + i);
      value += (byte & 0x7f) * 2 ** (7 * i);
      if (byte < 0x80) return [value, at + i + 1];
    }
    throw malformed(`a number is cut off or too long at byte ${at}`);
  }

  #byte(at: number): number {
    if (at < this.#start || at >= this.#end) {
      this.#start = at;
      this.#end = at + readSync(this.#file, this.#window, 0, WINDOW, at);
      if (this.#end === at) throw malformed(`the file shrank to ${at} bytes while it was read`);
    }
    return this.#window[at - this.#start] as number;
  }
}
