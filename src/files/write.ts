/**
 * @file Writes files atomically: everything goes to a temporary file, is flushed to disk, and is renamed over the old one. After a kill, a
 * full disk or a power cut, a reader finds either the old file or the new one, never a part. Links are not followed, because a folder may
 * be a stranger's and lead anywhere; only a path that the user named may be one.
 */
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { codeOf, OutputError, RobustError } from '../core/errors.js';
import { checkPlain } from './read.js';
import { removeLeftovers, temporaryPathOf } from './temporary-path.js';

const CURES: Readonly<Record<string, string>> = {
  ENOSPC: 'Free some space',
  EDQUOT: 'Free some space',
  EFBIG: 'Choose a disk that takes larger files',
  EROFS: 'Run where the disk can be written',
  EACCES: 'Make the folder writable',
  EPERM: 'Make the folder writable',
  ENOENT: 'Make its folder, or choose another path',
  ENOTDIR: 'Choose another path',
  EISDIR: 'Choose another path',
  ELOOP: 'Remove the link at that path',
  ENAMETOOLONG: 'Choose a shorter name',
};

/** OutputError of a failed file operation; `next` completes the hint. Rethrows errors that do not come from the system. */
export function outputError(what: string, path: string, cause: unknown, next = 'run the command again'): OutputError {
  const { code, message, syscall } = cause as NodeJS.ErrnoException;
  if (syscall === undefined) throw cause;
  return new OutputError(`could not write ${what} to ${path}: ${message}`, {
    code: 'OUTPUT_UNREACHABLE',
    hint: `${(code && CURES[code]) ?? 'Mend that'}, then ${next}.`,
    cause,
  });
}

/** Writes all of `bytes`, because one call may write fewer, for example on a full disk. Throws the system's error. */
export function writeAll(file: number, bytes: Uint8Array, position: number | null = null): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(file, bytes, done, bytes.length - done, position === null ? null : position + done);
  }
}

/** Rights of what holds texts of the user: nobody else's to read. */
export const PRIVATE: Writing = { mode: 0o600 };
/** A file that the user named may be a link, a terminal or a pipe. */
const NAMED: Writing = { ...PRIVATE, named: true };

export interface Writing {
  /** Rights of a new file. @default 0o666 */
  readonly mode?: number;
  readonly named?: boolean;
  /** Completes the hint of errors. */
  readonly next?: string;
}

/** Replaces a file by the output of `fill`. Throws the system's errors and those of `fill`; the old file then stays. */
export function replaceFile(path: string, fill: (file: number) => void, how?: Writing): void {
  const made = new ReplacementFile(path, how);
  try {
    fill(made.file);
    made.keep();
  } catch (error) {
    made.drop();
    throw error;
  }
}

export type FileContent = string | Uint8Array;

/** Replaces a file by this content; `what` names it in errors. Throws OutputError; the old file then stays. */
export function writeWhole(
  path: string,
  content: FileContent | Iterable<FileContent>,
  what: string,
  how: Writing = {},
): void {
  const pieces = typeof content === 'string' || content instanceof Uint8Array ? [content] : content;
  try {
    replaceFile(
      path,
      (file) => {
        for (const piece of pieces) writeAll(file, bytesOf(piece));
      },
      how,
    );
  } catch (error) {
    throw outputError(what, path, error, how.next);
  }
}

/** Like `writeWhole`, for texts that go to a file which the user named. */
export const writeNamed = (path: string, content: FileContent | Iterable<FileContent>, what: string): void =>
  writeWhole(path, content, what, NAMED);

/** Like `writeNamed`, for streamed content. Errors of the stream are thrown unchanged. */
export async function writeStream(
  path: string,
  pieces: AsyncIterable<FileContent>,
  what: string,
  how: Writing = NAMED,
): Promise<void> {
  const notify = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw outputError(what, path, error);
    }
  };
  const made = notify(() => new ReplacementFile(path, how));
  try {
    for await (const piece of pieces) notify(() => writeAll(made.file, bytesOf(piece)));
    notify(() => made.keep());
  } catch (error) {
    made.drop();
    throw error;
  }
}

const bytesOf = (content: FileContent): Uint8Array => (typeof content === 'string' ? Buffer.from(content) : content);

// Windows has neither flag.
const IN_PLACE = constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * A file of ours opened to be written in place, or begun; with `append`, each write goes to its end. Throws the system's error, ELOOP for a
 * link, and RobustError FILE_DAMAGED for what is no plain file, or has another name elsewhere, whose content would change with it.
 */
export function openToWrite(path: string, { append = false } = {}): number {
  const file = openSync(path, append ? IN_PLACE | constants.O_APPEND : IN_PLACE, PRIVATE.mode);
  try {
    const stats = fstatSync(file);
    checkPlain(path, stats);
    if (stats.nlink < 2) return file;
    throw new RobustError(`${path}: expected a file of its own, got one of ${stats.nlink} hard links`, {
      code: 'FILE_DAMAGED',
      hint: 'Copy it, and put the copy in its place.',
    });
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/**
 * Appends to a file that other processes also append to: everything, or the file stays as it was. `named`: the user named it, and it may be
 * a link, a terminal or a pipe; `flush`: it is on the disk when this returns. Throws OutputError.
 */
export function appendWhole(path: string, text: string, what: string, { named = false, flush = false } = {}): void {
  let file: number | undefined;
  try {
    file = named ? openSync(path, 'a') : openToWrite(path, { append: true });
    const { size } = fstatSync(file);
    try {
      writeAll(file, Buffer.from(text));
      if (flush) fsyncSync(file);
    } catch (error) {
      ftruncateSync(file, size);
      throw error;
    }
  } catch (error) {
    throw outputError(what, path, error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Can a file be written at this path? Throws the system's error; leaves nothing behind. */
export function checkWritableFile(path: string): void {
  new ReplacementFile(path, NAMED).drop();
}

/**
 * A temporary file in the same folder as the file that it replaces. A terminal or a pipe that the user named cannot be replaced, so it is
 * written to directly.
 */
class ReplacementFile {
  readonly file: number;
  readonly #path: string;
  readonly #aside: string | undefined;
  #open = true;

  constructor(path: string, { named = false, mode = 0o666 }: Writing = {}) {
    const old = (named ? statSync : lstatSync)(path, { throwIfNoEntry: false });
    if (old?.isDirectory() || (named && old?.isFile() === false)) {
      this.#path = path;
      this.file = openSync(path, 'w'); // EISDIR for a folder
      return;
    }
    // Replaces the target of a link that the user named, else the link.
    this.#path = named && old !== undefined ? realpathSync(path) : path;
    this.#aside = temporaryPathOf(this.#path);
    this.file = openSync(this.#aside, 'wx', mode);
    try {
      if (old?.isFile()) fchmodSync(this.file, old.mode & 0o777);
      removeLeftovers(this.#path);
    } catch (error) {
      this.drop();
      throw error;
    }
  }

  keep(): void {
    if (this.#aside !== undefined) fsyncSync(this.file);
    this.#close();
    if (this.#aside === undefined) return;
    renameSync(this.#aside, this.#path);
    syncFolder(dirname(this.#path));
  }

  drop(): void {
    try {
      this.#close();
    } finally {
      if (this.#aside !== undefined) rmSync(this.#aside, { force: true });
    }
  }

  #close(): void {
    if (!this.#open) return;
    this.#open = false;
    closeSync(this.file);
  }
}

/** Errors of file systems that cannot flush a folder, or of a folder that is writable but not readable. */
const CANNOT: readonly (string | undefined)[] = ['EINVAL', 'ENOTSUP', 'EISDIR', 'EPERM', 'EACCES', 'EBADF'];

/** Makes renames in a folder survive a power cut. Throws the system's error. */
export function syncFolder(path: string): void {
  let folder: number | undefined;
  try {
    folder = openSync(path, 'r');
    fsyncSync(folder);
  } catch (error) {
    if (!CANNOT.includes(codeOf(error))) throw error;
  } finally {
    if (folder !== undefined) closeSync(folder);
  }
}

/** Makes `path` a link to `target`, relative to its folder. Throws the system's error. */
export function replaceByLink(path: string, target: string): void {
  const aside = temporaryPathOf(path);
  try {
    symlinkSync(target, aside);
  } catch (error) {
    // Windows allows only some users to create links.
    if (codeOf(error) === 'ENOSPC') throw error;
    copyFile(resolve(dirname(path), target), path);
    return;
  }
  try {
    renameSync(aside, path);
    syncFolder(dirname(path));
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  }
}

const COPY_BYTES = 1 << 20;

/**
 * Appends the bytes from `from` to `to` of an open file to another, and passes them to `seen`. Throws the system's error, and an Error if
 * the file ends earlier.
 */
export function copyRange(
  source: number,
  from: number,
  to: number,
  into: number,
  seen?: (bytes: Uint8Array) => void,
): void {
  const buffer = Buffer.allocUnsafe(Math.min(COPY_BYTES, to - from));
  for (let at = from; at < to; ) {
    const read = readSync(source, buffer, 0, Math.min(buffer.length, to - at), at);
    if (read === 0) throw new Error(`a file that is copied ends at byte ${at}, expected ${to}`);
    const bytes = buffer.subarray(0, read);
    seen?.(bytes);
    writeAll(into, bytes);
    at += read;
  }
}

/** Replaces a file by a copy of another. Throws the system's error. */
export function copyFile(from: string, to: string): void {
  const source = openSync(from, 'r');
  try {
    replaceFile(to, (file) => {
      copyRange(source, 0, fstatSync(source).size, file);
    });
  } finally {
    closeSync(source);
  }
}

/** Creates a folder and its parents; `what` names it in errors. Throws OutputError. */
export function makeFolder(path: string, what: string): void {
  try {
    makeFolders(path);
  } catch (error) {
    throw outputError(what, path, error);
  }
}

/** Throws OutputError where a folder of ours is a link: what is written through it could replace files elsewhere. */
export function checkNoLink(folder: string): void {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  throw new OutputError(`${folder}: expected a folder to write into, got a link to another`, {
    code: 'FOLDER_INVALID',
    hint: 'Remove the link, or work in the folder that it leads to.',
  });
}

/** Like `makeFolder`, within a folder of ours: throws OutputError for a link. */
export function makeInnerFolder(path: string, what: string): void {
  checkNoLink(path);
  makeFolder(path, what);
}

/** Like `makeFolder`, but throws the system's error. Node's recursive call reports ENOENT if the disk is read-only. */
export function makeFolders(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && statSync(path).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    makeFolders(dirname(path));
    mkdirSync(path, { recursive: true }); // another process may have been faster
  }
}

/**
 * Creates a folder together with everything that `fill` puts into it, or not at all. `path` must not exist yet. Throws the system's errors
 * and those of `fill`.
 */
export function placeFolder(path: string, fill: (folder: string) => void, mode = 0o777): void {
  const aside = temporaryPathOf(join(dirname(path), 'folder'));
  removeLeftovers(join(dirname(path), 'folder'));
  mkdirSync(aside, mode);
  try {
    fill(aside);
    syncFolder(aside);
    renameSync(aside, path);
    syncFolder(dirname(path));
  } catch (error) {
    rmSync(aside, { recursive: true, force: true });
    throw error;
  }
}
