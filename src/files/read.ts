/**
 * @file The one way a file is read that others may have written: a plain file of bounded size. Opening a pipe does not wait for its writer,
 * and no device is read, so that no file can stop the process. The functions have the names of Node's, which no other room may import.
 */
import {
  closeSync,
  constants,
  fstatSync,
  createReadStream as nodeReadStream,
  openSync,
  type ReadStream,
  readFileSync as readOpened,
  type Stats,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { RobustError } from '../core/errors.js';

const MEBIBYTE = 2 ** 20;
/** Configurations, tokenizers, records: no such file is larger. */
const SMALL = 64 * MEBIBYTE;
/** About what a string can hold: reports, baselines and tables of texts grow with the data. */
export const LONGEST_TEXT = 500 * MEBIBYTE;
/** Model files are read into one buffer. */
export const ANY_SIZE: number = Number.POSITIVE_INFINITY;

// Windows has no such flag, and no pipes among its files.
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Throws RobustError FILE_DAMAGED for anything but a plain file of at most `most` bytes. */
export function checkPlain(path: string, stats: Stats, most: number = ANY_SIZE): void {
  if (stats.isFile() && stats.size <= most) return;
  const mebibytes = (bytes: number): string =>
    `${(bytes / MEBIBYTE).toFixed(bytes % MEBIBYTE || bytes > most ? 1 : 0)} MiB`;
  const [expected, got] = stats.isFile()
    ? [`at most ${mebibytes(most)}`, mebibytes(stats.size)]
    : ['a file', stats.isDirectory() ? 'a folder' : 'a pipe or device'];
  throw new RobustError(`${path}: expected ${expected}, got ${got}`, {
    code: 'FILE_DAMAGED',
    hint: stats.isFile() ? 'It is no file of this kind.' : 'Save what it yields to a file, and name that file.',
  });
}

/** A file opened for reading. Throws the system's error, and RobustError FILE_DAMAGED for what is no plain file. */
export function openToRead(path: string, most?: number): number {
  const file = openSync(path, READ);
  try {
    checkPlain(path, fstatSync(file), most);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** As `openToRead`, without blocking this thread. */
export async function openFile(path: string, most?: number): Promise<FileHandle> {
  const file = await open(path, READ);
  try {
    checkPlain(path, await file.stat(), most);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The content of a file of at most `most` bytes. Throws as `openToRead` does. */
export function readFile(path: string, encoding: 'utf8', most?: number): Promise<string>;
export function readFile(path: string, encoding?: null, most?: number): Promise<Buffer>;
export async function readFile(path: string, encoding: 'utf8' | null = null, most = SMALL): Promise<string | Buffer> {
  const file = await openFile(path, most);
  try {
    return await file.readFile(encoding);
  } finally {
    await file.close();
  }
}

/** The same for functions that cannot wait; a plain file does not make them. */
export function readFileSync(path: string, encoding: 'utf8', most?: number): string;
export function readFileSync(path: string, encoding?: null, most?: number): Buffer;
export function readFileSync(path: string, encoding: 'utf8' | null = null, most = SMALL): string | Buffer {
  const file = openToRead(path, most);
  try {
    return readOpened(file, encoding);
  } finally {
    closeSync(file);
  }
}

/** The bytes of a file of any size as a stream. Throws as `openToRead` does, at once. */
export const createReadStream = (
  path: string,
  options: { readonly start?: number; readonly highWaterMark?: number } = {},
): ReadStream => nodeReadStream(path, { ...options, fd: openToRead(path) });
