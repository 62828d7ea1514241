/**
 * @file The table of contents of a zip archive (PKWARE APPNOTE 6.3.10), as PyTorch writes one: entries stored as they are, never
 * compressed, with 64-bit sizes where needed. Every place it names is compared with the file.
 */
import { bytesAt } from './read-bytes.js';
import { damaged, withFile } from './stored-tensor.js';

export interface ZipEntry {
  readonly name: string;
  /** Position of its first byte in the file. */
  readonly offset: number;
  readonly bytes: number;
}

const END = 0x06054b50;
const END_64 = 0x06064b50;
const END_64_LOCATOR = 0x07064b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const END_BYTES = 22;
const LONGEST_COMMENT = 0xffff;
const LOCATOR_BYTES = 20;
const END_64_BYTES = 56;
const CENTRAL_BYTES = 46;
const LOCAL_BYTES = 30;
/** Value of a 32-bit field that is replaced by a 64-bit one. */
const ELSEWHERE = 0xffffffff;
const ZIP64_FIELD = 1;
/** Longest table read: a million tensors take less. */
const MAX_TABLE_BYTES = 100_000_000;

/** The entries by name. Throws OnnxError where the archive is damaged, an entry is compressed, or two have one name. */
export function zipEntries(path: string): ReadonlyMap<string, ZipEntry> {
  return withFile(path, (file, size) => {
    const read = (from: number, length: number): Buffer => {
      if (!Number.isSafeInteger(from) || from < 0 || length < 0 || from + length > size) {
        throw damaged(path, `an archive that names ${length} bytes at ${from} of ${size}`);
      }
      return bytesAt(file, path, from, length);
    };
    const { at, length } = tableOf(path, size, read);
    if (length > MAX_TABLE_BYTES) throw damaged(path, `an archive whose table claims ${length} bytes`);
    const entries = new Map<string, ZipEntry>();
    for (const { name, local, bytes } of centralEntries(path, read(at, length))) {
      if (entries.has(name)) throw damaged(path, `two entries "${name}"`);
      const header = read(local, LOCAL_BYTES);
      if (header.readUInt32LE(0) !== LOCAL) throw damaged(path, `an archive without the entry "${name}"`);
      const offset = local + LOCAL_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
      if (offset + bytes > size) throw damaged(path, `the entry "${name}" of ${bytes} bytes at ${offset} of ${size}`);
      entries.set(name, { name, offset, bytes });
    }
    return entries;
  });
}

type Read = (from: number, length: number) => Buffer;

/** Where the central directory lies. */
function tableOf(path: string, size: number, read: Read): { at: number; length: number } {
  const tail = Math.min(size, END_BYTES + LONGEST_COMMENT);
  const end = read(size - tail, tail);
  for (let at = tail - END_BYTES; at >= 0; at--) {
    if (end.readUInt32LE(at) !== END) continue;
    const length = end.readUInt32LE(at + 12);
    const start = end.readUInt32LE(at + 16);
    if (length !== ELSEWHERE && start !== ELSEWHERE) return { at: start, length };
    const locator = read(size - tail + at - LOCATOR_BYTES, LOCATOR_BYTES);
    if (locator.readUInt32LE(0) !== END_64_LOCATOR) break;
    const end64 = read(number(path, locator, 8), END_64_BYTES);
    if (end64.readUInt32LE(0) !== END_64) break;
    return { at: number(path, end64, 48), length: number(path, end64, 40) };
  }
  throw damaged(path, 'an archive without its table of contents');
}

function* centralEntries(path: string, table: Buffer): Generator<{ name: string; local: number; bytes: number }> {
  for (let at = 0; at < table.length; ) {
    if (at + CENTRAL_BYTES > table.length || table.readUInt32LE(at) !== CENTRAL) {
      throw damaged(path, 'an archive whose table of contents breaks off');
    }
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((place) => table.readUInt16LE(at + place)) as [
      number,
      number,
      number,
    ];
    const extra = at + CENTRAL_BYTES + nameLength;
    const next = extra + extraLength + commentLength;
    if (next > table.length) throw damaged(path, 'an archive whose table of contents breaks off');
    const name = table.toString('utf8', at + CENTRAL_BYTES, extra);
    const method = table.readUInt16LE(at + 10);
    if (method !== 0) throw damaged(path, `the compressed entry "${name}" (method ${method})`);
    const wide = wideFields(path, table.subarray(extra, extra + extraLength));
    const field = (place: number): number => {
      const value = table.readUInt32LE(at + place);
      return value === ELSEWHERE ? wide() : value;
    };
    // In the order in which the 64-bit ones stand: uncompressed, compressed, place.
    const bytes = field(24);
    const stored = field(20);
    const local = field(42);
    if (bytes !== stored) throw damaged(path, `the entry "${name}" of ${bytes} bytes stored in ${stored}`);
    yield { name, local, bytes };
    at = next;
  }
}

/** The 64-bit numbers of an entry's extra field, one a call. */
function wideFields(path: string, extra: Buffer): () => number {
  let at = 0;
  let end = 0;
  for (let field = 0; field + 4 <= extra.length; field += 4 + extra.readUInt16LE(field + 2)) {
    if (extra.readUInt16LE(field) !== ZIP64_FIELD) continue;
    at = field + 4;
    end = Math.min(extra.length, at + extra.readUInt16LE(field + 2));
    break;
  }
  return () => {
    if (at + 8 > end) throw damaged(path, 'an entry without its size');
    at += 8;
    return number(path, extra, at - 8);
  };
}

function number(path: string, bytes: Buffer, at: number): number {
  const value = Number(bytes.readBigUInt64LE(at));
  if (!Number.isSafeInteger(value)) throw damaged(path, `an archive that names byte ${value}`);
  return value;
}
