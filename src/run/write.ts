/** @file Writing that loses nothing: whole or not at all, and an error that says what to do. */
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { OutputError } from '../core/errors.js';

const CURES: Readonly<Record<string, string>> = {
  ENOSPC: 'Free some space',
  EDQUOT: 'Free some space',
  EROFS: 'Run where the disk can be written',
  EACCES: 'Make the folder writable',
  EPERM: 'Make the folder writable',
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

/**
 * Replaces a file by what `fill` writes: aside, to the disk, then renamed over the old one. A reader, or whoever comes
 * after a kill or a full disk, finds the old file or the new one, never a part. Throws the system's error.
 */
export function replaceFile(path: string, fill: (file: number) => void): void {
  const aside = `${path}.part`;
  const file = openSync(aside, 'w');
  try {
    try {
      fill(file);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(aside, path);
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  }
}

/** Makes a folder and those above it. Node's own recursive call says ENOENT where the disk is read-only. */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    makeFolder(dirname(path));
    mkdirSync(path);
  }
}
