/**
 * @file The one way a file is read: a plain file of bounded size. Opening a pipe does not wait for its writer, and no device is read, so that
 * no file of a stranger can stop the process.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync as readOpened, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { OnnxError } from './errors.js';

const MEBIBYTE = 2 ** 20;
/** Configurations and fitted heads: no such file is larger. */
const SMALL = 64 * MEBIBYTE;

// Windows has no such flag, and no pipes among its files.
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

function checkPlain(path: string, stats: Stats, most: number): void {
  if (stats.isFile() && stats.size <= most) return;
  const [expected, got] = stats.isFile()
    ? [`at most ${most / MEBIBYTE} MiB`, `${(stats.size / MEBIBYTE).toFixed(1)} MiB`]
    : ['a file', stats.isDirectory() ? 'a folder' : 'a pipe or device'];
  throw new OnnxError(`${path}: expected ${expected}, got ${got}`, {
    code: 'FILE_DAMAGED',
    hint: stats.isFile() ? 'It is no file of this kind.' : 'Save what it yields to a file, and name that file.',
  });
}

/** A file opened for reading. Throws the system's error, and OnnxError FILE_DAMAGED for what is no plain file of at most `most` bytes. */
export function openToRead(path: string, most = Number.POSITIVE_INFINITY): number {
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
export async function openFile(path: string): Promise<FileHandle> {
  const file = await open(path, READ);
  try {
    checkPlain(path, await file.stat(), Number.POSITIVE_INFINITY);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The content of a file of at most 64 MiB. Throws as `openToRead` does. */
export function readFileSync(path: string, encoding: 'utf8'): string;
export function readFileSync(path: string): Buffer;
export function readFileSync(path: string, encoding: 'utf8' | null = null): string | Buffer {
  const file = openToRead(path, SMALL);
  try {
    return readOpened(file, encoding);
  } finally {
    closeSync(file);
  }
}
