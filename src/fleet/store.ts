/** @file Content by its hash: in a folder that all see, or fetched from the coordinator. */
import { createHash } from 'node:crypto';
import { existsSync, linkSync } from 'node:fs';
import { join } from 'node:path';
import { RobustError } from '../core/errors.js';
import { ANY_SIZE, createReadStream, readFileSync } from '../files/read.js';
import { copyFile, makeFolder, outputError, writeWhole } from '../files/write.js';

export const hashOf = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');

/** Keeps a file for workers, and says what its content is called. */
export type KeepFile = (file: string) => Promise<{ sha256: string; bytes: number }>;

/** Content as a worker reads it. */
export interface ContentSource {
  /** Throws RobustError STORE_DAMAGED where what lies there has another hash, STORE_UNREACHABLE where nothing does. */
  bytes(sha256: string): Promise<Buffer>;
  /** A file with that content, which stays where it is. Throws as `bytes`. */
  file(sha256: string): Promise<string>;
}

export const contentMismatch = (where: string, expected: string, got: string): RobustError =>
  new RobustError(`${where}: expected content with sha256 ${expected.slice(0, 12)}, got ${got.slice(0, 12)}`, {
    code: 'STORE_DAMAGED',
    hint: 'It was changed or damaged, so nothing of it was used. Start the run again with the original files.',
  });

/** The same file under a second name, where the file system allows; else a copy, which may replace a file. Throws OutputError. */
export function linkOrCopy(file: string, path: string): void {
  try {
    linkSync(file, path);
  } catch {
    try {
      copyFile(file, path);
    } catch (error) {
      throw outputError('a copy of a file', path, error);
    }
  }
}

/** A folder of files named by their hashes. What is in it is never changed. */
export class FolderStore implements ContentSource {
  readonly #kept: (sha256: string) => void;

  /** `kept` is called with each hash that is put there, new or not. */
  constructor(
    readonly path: string,
    kept: (sha256: string) => void = () => {},
  ) {
    this.#kept = kept;
  }

  pathOf(sha256: string): string {
    return join(this.path, 'content', sha256.slice(0, 2), sha256);
  }

  /** Throws OutputError. */
  put(bytes: Uint8Array | string): string {
    const sha256 = hashOf(bytes);
    const path = this.pathOf(sha256);
    if (!existsSync(path)) {
      this.#room(path);
      writeWhole(path, bytes, 'content for workers');
    }
    this.#kept(sha256);
    return sha256;
  }

  /** Keeps a file: the same one where the file system allows, a copy otherwise. Throws OutputError. */
  async keep(file: string): Promise<{ sha256: string; bytes: number }> {
    const { sha256, bytes } = await hashOfFile(file);
    const path = this.pathOf(sha256);
    if (!existsSync(path)) {
      this.#room(path);
      linkOrCopy(file, path);
    }
    this.#kept(sha256);
    return { sha256, bytes };
  }

  #room(path: string): void {
    makeFolder(join(path, '..'), 'the folder of content for workers');
  }

  async bytes(sha256: string): Promise<Buffer> {
    const path = this.pathOf(sha256);
    if (!existsSync(path)) throw missing(path);
    const found = readFileSync(path, null, ANY_SIZE);
    const got = hashOf(found);
    if (got !== sha256) throw contentMismatch(path, sha256, got);
    return found;
  }

  async file(sha256: string): Promise<string> {
    const path = this.pathOf(sha256);
    if (!existsSync(path)) throw missing(path);
    const { sha256: got } = await hashOfFile(path);
    if (got !== sha256) throw contentMismatch(path, sha256, got);
    return path;
  }
}

const missing = (path: string): RobustError =>
  new RobustError(`expected content in ${path}, found none`, {
    code: 'STORE_UNREACHABLE',
    hint: 'Give worker and coordinator the same --store, a folder that both see.',
  });

export async function hashOfFile(path: string): Promise<{ sha256: string; bytes: number }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    hash.update(chunk as Buffer);
    bytes += (chunk as Buffer).length;
  }
  return { sha256: hash.digest('hex'), bytes };
}
