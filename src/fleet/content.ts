/** @file Content by its hash: what is small lies in Redis, models and other large files in a folder that all machines see or in a bucket. */
import { createHash } from 'node:crypto';
import { existsSync, linkSync } from 'node:fs';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { RobustError } from '../core/errors.js';
import { ANY_SIZE, createReadStream, readFileSync } from '../files/read.js';
import { copyFile, makeFolder, outputError, writeWhole } from '../files/write.js';
import { keys, LIFE_SECONDS } from './redis.js';

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

/** Where large content lies. */
export interface LargeStore {
  /** Keeps a file of that hash. */
  put(sha256: string, file: string): Promise<void>;
  /** A local file with that content, or undefined. Throws RobustError STORE_DAMAGED. */
  file(sha256: string): Promise<string | undefined>;
}

/** Larger content goes into the store. */
export const MOST_BYTES = 8 << 20;

const WHAT = 'content for workers';

export const contentPath = (sha256: string): string => `content/${sha256.slice(0, 2)}/${sha256}`;

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

export async function hashOfFile(path: string): Promise<{ sha256: string; bytes: number }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    hash.update(chunk as Buffer);
    bytes += (chunk as Buffer).length;
  }
  return { sha256: hash.digest('hex'), bytes };
}

/** A folder of files named by their hashes. What is in it is never changed. */
export class FolderStore implements LargeStore {
  constructor(private readonly path: string) {}

  /** Throws OutputError. */
  async put(sha256: string, file: string): Promise<void> {
    const path = this.#placeOf(sha256);
    if (!existsSync(path)) linkOrCopy(file, path);
  }

  /** Writes content, and returns its file. Throws OutputError. */
  write(sha256: string, bytes: Uint8Array | string): string {
    const path = this.#placeOf(sha256);
    writeWhole(path, bytes, WHAT);
    return path;
  }

  async file(sha256: string): Promise<string | undefined> {
    const path = join(this.path, contentPath(sha256));
    if (!existsSync(path)) return undefined;
    const { sha256: got } = await hashOfFile(path);
    if (got !== sha256) throw contentMismatch(path, sha256, got);
    return path;
  }

  #placeOf(sha256: string): string {
    const path = join(this.path, contentPath(sha256));
    makeFolder(join(path, '..'), WHAT);
    return path;
  }
}

/** The content of one run. */
export class Content implements ContentSource {
  readonly #key: string;
  readonly #cache: FolderStore;
  /** What all workers need until the end of the run: Redis may forget it. */
  readonly #lasting = new Map<string, Uint8Array | string>();

  /** `run`: its name on the queue; `cache`: a folder for files that Redis holds. */
  constructor(
    private readonly redis: Redis,
    run: string,
    private readonly large: LargeStore | undefined,
    cache: string,
  ) {
    this.#key = keys.content(run);
    this.#cache = new FolderStore(cache);
  }

  /** `lasting`: all workers need it until the end of the run. Throws RobustError QUEUE_UNSUPPORTED for large content where there is no store. */
  async put(bytes: Uint8Array | string, lasting = false): Promise<string> {
    const sha256 = hashOf(bytes);
    const size = Buffer.byteLength(bytes as string);
    if (size > MOST_BYTES)
      await this.#largeFor('content of the run', size).put(sha256, this.#cache.write(sha256, bytes));
    else {
      await this.#set(sha256, bytes);
      if (lasting) this.#lasting.set(sha256, bytes);
    }
    return sha256;
  }

  /** Keeps a file until the end of the run. Throws as `put`. */
  async keep(file: string): Promise<{ sha256: string; bytes: number }> {
    const { sha256, bytes } = await hashOfFile(file);
    if (this.large !== undefined || bytes > MOST_BYTES) await this.#largeFor(file, bytes).put(sha256, file);
    else await this.put(readFileSync(file, null, ANY_SIZE), true);
    return { sha256, bytes };
  }

  #largeFor(what: string, bytes: number): LargeStore {
    return this.large ?? needsStore(what, bytes);
  }

  async #set(sha256: string, bytes: Uint8Array | string): Promise<void> {
    await this.redis.hset(this.#key, sha256, bytes as Buffer);
    await this.redis.expire(this.#key, LIFE_SECONDS);
  }

  /** Puts back what a Redis that was restarted has forgotten. */
  async restore(): Promise<void> {
    for (const [sha256, bytes] of this.#lasting) await this.#set(sha256, bytes);
  }

  /** Removes what is not lasting. */
  async drop(sha256: string): Promise<void> {
    if (!this.#lasting.has(sha256)) await this.redis.hdel(this.#key, sha256);
  }

  /** Removes all of the run from Redis. What is in a store may be another run's too. */
  async remove(): Promise<void> {
    await this.redis.del(this.#key);
  }

  async bytes(sha256: string): Promise<Buffer> {
    const found = await this.redis.hgetBuffer(this.#key, sha256);
    if (found === null) return readFileSync(await this.#largeFile(sha256), null, ANY_SIZE);
    const got = hashOf(found);
    if (got !== sha256) throw contentMismatch('Redis', sha256, got);
    return found;
  }

  async file(sha256: string): Promise<string> {
    if ((await this.redis.hexists(this.#key, sha256)) === 0) return this.#largeFile(sha256);
    const known = await this.#cache.file(sha256).catch(() => undefined);
    return known ?? this.#cache.write(sha256, await this.bytes(sha256));
  }

  async #largeFile(sha256: string): Promise<string> {
    const found = await this.large?.file(sha256);
    if (found !== undefined) return found;
    throw new RobustError(`expected content with sha256 ${sha256.slice(0, 12)} in Redis or the store, found none`, {
      code: 'STORE_UNREACHABLE',
      hint: 'Give worker and coordinator the same --store.',
    });
  }
}

/** Throws RobustError QUEUE_UNSUPPORTED. */
export function needsStore(what: string, bytes: number): never {
  throw new RobustError(
    `--queue: ${what} has ${Math.ceil(bytes / 2 ** 20)} MiB, and Redis carries files up to ${MOST_BYTES / 2 ** 20} MiB`,
    {
      code: 'QUEUE_UNSUPPORTED',
      hint: 'Name a place that all machines see: --store FOLDER or --store s3://bucket/prefix',
    },
  );
}
