/**
 * @file The one way a file comes to be: all of it aside, to the disk, then renamed over the old one. A reader, or whoever comes
 * after a kill, a full disk or a power cut, finds the old file or the new one, never a part.
 */
import {
  closeSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
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
import { OutputError } from '../core/errors.js';
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
  ENAMETOOLONG: 'Choose a shorter name',
};

/** The OutputError of a failed file operation; `next` completes the hint. Rethrows what is not the system's refusal. */
export function outputError(what: string, path: string, cause: unknown, next = 'run the command again'): OutputError {
  const { code, message, syscall } = cause as NodeJS.ErrnoException;
  if (syscall === undefined) throw cause;
  return new OutputError(`could not write ${what} to ${path}: ${message}`, {
    code: 'OUTPUT_WRITE',
    hint: `${(code && CURES[code]) ?? 'Mend that'}, then ${next}.`,
    cause,
  });
}

/** Writes all of `bytes`: one call may write fewer, as on a disk that is filling up. Throws the system's error. */
export function writeAll(file: number, bytes: Uint8Array, position: number | null = null): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(file, bytes, done, bytes.length - done, position === null ? null : position + done);
  }
}

/** Replaces a file by what `fill` writes. Throws the system's error, and what `fill` throws: the old file then stands. */
export function replaceFile(path: string, fill: (file: number) => void): void {
  const made = new ReplacementFile(path);
  try {
    fill(made.file);
    made.keep();
  } catch (error) {
    made.drop();
    throw error;
  }
}

export type FileContent = string | Uint8Array;

/** Replaces a file by this content; `what` it is, for the error. Throws OutputError: the old file then stands. */
export function writeWhole(
  path: string,
  content: FileContent | Iterable<FileContent>,
  what: string,
  next?: string,
): void {
  const pieces = typeof content === 'string' || content instanceof Uint8Array ? [content] : content;
  try {
    replaceFile(path, (file) => {
      for (const piece of pieces) writeAll(file, bytesOf(piece));
    });
  } catch (error) {
    throw outputError(what, path, error, next);
  }
}

/** As `writeWhole`, of what comes piece by piece. What goes wrong in making the pieces is thrown as it is. */
export async function writeStream(path: string, pieces: AsyncIterable<FileContent>, what: string): Promise<void> {
  const tell = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw outputError(what, path, error);
    }
  };
  const made = tell(() => new ReplacementFile(path));
  try {
    for await (const piece of pieces) tell(() => writeAll(made.file, bytesOf(piece)));
    tell(() => made.keep());
  } catch (error) {
    made.drop();
    throw error;
  }
}

const bytesOf = (content: FileContent): Uint8Array => (typeof content === 'string' ? Buffer.from(content) : content);

/**
 * Adds to the end of a file that others write too: all of it, or the file stays as it was. Throws OutputError.
 */
export function appendWhole(path: string, text: string, what: string): void {
  let file: number | undefined;
  try {
    file = openSync(path, 'a');
    const { size } = fstatSync(file);
    try {
      writeAll(file, Buffer.from(text));
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
  new ReplacementFile(path).drop();
}

/** A file being written beside the one it will replace. A terminal or a pipe cannot be replaced: it is written into. */
class ReplacementFile {
  readonly file: number;
  readonly #path: string;
  readonly #aside: string | undefined;
  #open = true;

  constructor(path: string) {
    const old = statSync(path, { throwIfNoEntry: false });
    if (old !== undefined && !old.isFile()) {
      this.#path = path;
      this.file = openSync(path, 'w'); // of a folder: EISDIR
      return;
    }
    // What a link names is replaced, not the link.
    this.#path = old === undefined ? path : realpathSync(path);
    this.#aside = temporaryPathOf(this.#path);
    this.file = openSync(this.#aside, 'wx');
    try {
      if (old !== undefined) fchmodSync(this.file, old.mode & 0o777);
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

/** Systems and file systems that cannot flush a folder, or a folder that may be written but not read. */
const CANNOT: readonly (string | undefined)[] = ['EINVAL', 'ENOTSUP', 'EISDIR', 'EPERM', 'EACCES', 'EBADF'];

/** What was renamed stays so after a power cut. Throws the system's error. */
export function syncFolder(path: string): void {
  let folder: number | undefined;
  try {
    folder = openSync(path, 'r');
    fsyncSync(folder);
  } catch (error) {
    if (!CANNOT.includes((error as NodeJS.ErrnoException).code)) throw error;
  } finally {
    if (folder !== undefined) closeSync(folder);
  }
}

/** Lets `path` stand for what `target`, seen from its folder, names. Throws the system's error. */
export function replaceByLink(path: string, target: string): void {
  const aside = temporaryPathOf(path);
  try {
    symlinkSync(target, aside);
  } catch (error) {
    // Windows lets only some users link.
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') throw error;
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
 * Appends the bytes `from` to `to` of an open file to another, and tells `seen` of them. Throws the system's error, and an Error where
 * the file ends before.
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

/** Makes a folder and those above it; `what` it is, for the error. Throws OutputError. */
export function makeFolder(path: string, what: string): void {
  try {
    makeFolders(path);
  } catch (error) {
    throw outputError(what, path, error);
  }
}

/** As above, and throws the system's error. Node's own recursive call says ENOENT where the disk is read-only. */
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
 * Makes a folder that appears with all that `fill` puts into it, or not at all. `path` must not be there yet. Throws the
 * system's error, and what `fill` throws.
 */
export function placeFolder(path: string, fill: (folder: string) => void): void {
  const aside = temporaryPathOf(join(dirname(path), 'folder'));
  removeLeftovers(join(dirname(path), 'folder'));
  mkdirSync(aside);
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
