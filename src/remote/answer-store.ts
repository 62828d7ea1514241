/**
 * @file The answers of an endpoint on disk, by text, so that a resumed run queries nothing twice. The file begins with a line of JSON with
 * the source of the answers. The numbers of requests, repeated requests and texts follow (float64 each), then records of one length. A
 * record is the first 16 bytes of the SHA-256 of the text, its row (float32), and the CRC-32 of both. Numbers are little-endian.
 */
import { createHash } from 'node:crypto';
import { closeSync, fstatSync, ftruncateSync, readSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { crc32 } from 'node:zlib';
import type { EndpointCounts, EndpointProbe } from '../core/endpoint.js';
import { ModelError } from '../core/errors.js';
import { openToRead } from '../files/read.js';
import { openToWrite, outputError, writeAll } from '../files/write.js';
import { isObject } from '../protocols/json.js';

const KEY_BYTES = 16;
const MAX_HEAD_BYTES = 1 << 20;
const COUNTS_BYTES = 3 * 8;
/** Version of the file's format. Answers in another format are queried again. */
const FORMAT = 2;

/** The source of answers. */
export interface AnswerSource {
  /** The endpoint's address, model and version. If one of these changes, it is another victim. */
  readonly facts: Readonly<Record<string, string>>;
  readonly labels: readonly string[];
  readonly probe: EndpointProbe;
}

export class AnswerStore {
  readonly #path: string;
  readonly #file: number;
  readonly #width: number;
  readonly #rows = new Map<string, Float32Array>();
  /** The counts of earlier sessions. */
  readonly before: EndpointCounts;
  readonly #counts: number;
  #end: number;
  #pending: Buffer[] = [];
  #written: Promise<void> | undefined;

  /** `counts`: where in the file the counts stand, behind which the records begin. */
  private constructor(path: string, file: number, width: number, counts: number) {
    this.#path = path;
    this.#file = file;
    this.#width = width;
    this.#counts = counts;
    this.#end = counts + COUNTS_BYTES;
    this.#read(this.#end);
    this.before = this.#readCounts();
  }

  /** The source that a file names; undefined without one, or if the file was cut short before its first answer. */
  static source(path: string): AnswerSource | undefined {
    let file: number;
    try {
      file = openToRead(path);
    } catch {
      return undefined;
    }
    try {
      return headOf(file)?.source;
    } finally {
      closeSync(file);
    }
  }

  /** Opens or begins a file. Throws ModelError (RESUME_MISMATCH), OutputError. */
  static open(path: string, source: AnswerSource, width: number): AnswerStore {
    let file: number;
    try {
      file = openToWrite(path);
      const head = headOf(file);
      if (head !== undefined) {
        checkSource(head.source, source);
        return new AnswerStore(path, file, width, head.end);
      }
      const line = Buffer.from(`${JSON.stringify({ format: FORMAT, ...source })}\n`);
      ftruncateSync(file, 0);
      writeAll(file, line, 0);
      return new AnswerStore(path, file, width, line.length);
    } catch (error) {
      if (error instanceof ModelError) throw error;
      throw outputError('the answers of the endpoint', path, error);
    }
  }

  /** Texts that are known. */
  get size(): number {
    return this.#rows.size;
  }

  get(text: string): Float32Array | undefined {
    return this.#rows.get(keyOf(text));
  }

  /** Keeps an answer; what comes in one tick is written together. Throws OutputError, leaving whole records only. */
  add(text: string, row: Float32Array): Promise<void> {
    const key = keyOf(text);
    if (!this.#rows.has(key)) {
      this.#rows.set(key, row);
      this.#pending.push(recordOf(key, row));
    }
    this.#written ??= new Promise((resolve, reject) => {
      setImmediate(() => {
        try {
          this.flush();
          resolve();
        } catch (error) {
          reject(error);
        }
      });
    });
    return this.#written;
  }

  /** Writes what was added. Throws as `add` does. */
  flush(): void {
    this.#written = undefined;
    const bytes = Buffer.concat(this.#pending.splice(0));
    if (bytes.length === 0) return;
    try {
      writeAll(this.#file, bytes, this.#end);
    } catch (error) {
      ftruncateSync(this.#file, this.#end);
      throw outputError('the answers of the endpoint', this.#path, error);
    }
    this.#end += bytes.length;
  }

  /** Keeps what was sent in all. Throws OutputError. */
  recordSent({ requests, repeated, texts }: EndpointCounts): void {
    const bytes = Buffer.alloc(COUNTS_BYTES);
    [requests, repeated, texts].forEach((count, at) => {
      bytes.writeDoubleLE(count, 8 * at);
    });
    try {
      writeAll(this.#file, bytes, this.#counts);
    } catch (error) {
      throw outputError('the answers of the endpoint', this.#path, error);
    }
  }

  close(): void {
    this.flush();
    closeSync(this.#file);
  }

  #readCounts(): EndpointCounts {
    const bytes = Buffer.alloc(COUNTS_BYTES);
    readSync(this.#file, bytes, 0, COUNTS_BYTES, this.#counts);
    const [requests = 0, repeated = 0, texts = 0] = [0, 8, 16].map((at) => bytes.readDoubleLE(at));
    return { requests, repeated, texts };
  }

  /** Everything from the first damaged record on is cut off, and queried again. */
  #read(begin: number): void {
    const length = KEY_BYTES + 4 * this.#width + 4;
    const { size } = fstatSync(this.#file);
    const many = Buffer.alloc(length * 4096);
    while (this.#end + length <= size) {
      const got = readSync(this.#file, many, 0, many.length, this.#end);
      for (let at = 0; at + length <= got; at += length) {
        const record = many.subarray(at, at + length);
        if (record.readUInt32LE(length - 4) !== crc32(record.subarray(0, -4))) {
          this.#cut(begin);
          return;
        }
        const row = new Float32Array(this.#width);
        for (let column = 0; column < row.length; column++) row[column] = record.readFloatLE(KEY_BYTES + 4 * column);
        this.#rows.set(record.toString('latin1', 0, KEY_BYTES), row);
        this.#end += length;
      }
    }
    this.#cut(begin);
  }

  #cut(begin: number): void {
    ftruncateSync(this.#file, Math.max(begin, this.#end));
  }
}

const keyOf = (text: string): string => createHash('sha256').update(text).digest().toString('latin1', 0, KEY_BYTES);

function recordOf(key: string, row: Float32Array): Buffer {
  const record = Buffer.alloc(KEY_BYTES + 4 * row.length + 4);
  record.write(key, 0, 'latin1');
  row.forEach((value, at) => {
    record.writeFloatLE(value, KEY_BYTES + 4 * at);
  });
  record.writeUInt32LE(crc32(record.subarray(0, -4)), record.length - 4);
  return record;
}

function headOf(file: number): { readonly source: AnswerSource; readonly end: number } | undefined {
  const bytes = Buffer.alloc(Math.min(MAX_HEAD_BYTES, fstatSync(file).size));
  readSync(file, bytes, 0, bytes.length, 0);
  const end = bytes.indexOf('\n') + 1;
  if (end === 0) return undefined;
  try {
    const source: unknown = JSON.parse(bytes.toString('utf8', 0, end));
    return isObject(source) && source.format === FORMAT && isObject(source.facts)
      ? { source: source as unknown as AnswerSource, end }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Throws ModelError naming each fact in which an endpoint differs from the one whose answers are kept. */
function checkSource(was: AnswerSource, is: AnswerSource): void {
  const names = [...new Set([...Object.keys(was.facts), ...Object.keys(is.facts)])];
  const changed = names
    .filter((name) => was.facts[name] !== is.facts[name])
    .map((name) => `${name} (was ${was.facts[name] ?? 'not told'}, is ${is.facts[name] ?? 'not told'})`);
  if (!isDeepStrictEqual(was.labels, is.labels)) changed.push(`labels (were ${was.labels}, are ${is.labels})`);
  if (changed.length === 0) return;
  throw new ModelError(`the endpoint is not the one that was attacked before: ${changed.join('; ')}`, {
    code: 'RESUME_MISMATCH',
    hint: 'Start a new run: outcomes of two models do not belong together.',
  });
}
