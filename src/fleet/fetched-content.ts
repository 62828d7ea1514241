/** @file Content fetched over HTTP by its hash, so that a broken connection loses nothing. */
import { closeSync, existsSync, ftruncateSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { RobustError } from '../core/errors.js';
import { makeFolder, openToWrite, outputError, writeAll } from '../files/write.js';
import { BodyTooLarge, type HttpAnswer } from '../http/client.js';
import { type ContentSource, contentMismatch, FolderStore, hashOf, hashOfFile } from './store.js';

/** Asks for content, until it is there. Throws RobustError where it is refused. */
export type AskContent = <T>(
  sha256: string,
  headers: () => Readonly<Record<string, string>>,
  /** 200, 206 for a range, or 416 where there is nothing from there on. */
  take: (answer: HttpAnswer) => Promise<T>,
) => Promise<T>;

const CONTENT = 'the content of a run';
/** Larger content is kept in a file. */
const IN_MEMORY = 64 << 20;

export class FetchedContent implements ContentSource {
  readonly #cache: FolderStore;
  readonly #ask: AskContent;

  /** `cache`: a folder for large content, which may outlive the run. */
  constructor(cache: string, ask: AskContent) {
    this.#cache = new FolderStore(cache);
    this.#ask = ask;
  }

  bytes(sha256: string): Promise<Buffer> {
    return this.#ask(
      sha256,
      () => ({}),
      async (answer) => {
        const bytes = await answer.bytes(IN_MEMORY).catch((error) => {
          if (!(error instanceof BodyTooLarge)) throw error;
          throw new RobustError(`${answer.url}: ${error.message}`, { code: 'STORE_DAMAGED' });
        });
        const got = hashOf(bytes);
        if (got !== sha256) throw contentMismatch(answer.url, sha256, got);
        return bytes;
      },
    );
  }

  async file(sha256: string): Promise<string> {
    const path = this.#cache.pathOf(sha256);
    if (existsSync(path)) {
      // Another run's file may have been changed since.
      if ((await hashOfFile(path)).sha256 === sha256) return path;
      rmSync(path, { force: true });
    }
    const partial = `${path}.${process.pid}.part`;
    makeFolder(join(path, '..'), CONTENT);
    // Goes on where an earlier try of this process ended.
    const rest = () => {
      const have = statSync(partial, { throwIfNoEntry: false })?.size ?? 0;
      return have > 0 ? { range: `bytes=${have}-` } : {};
    };
    return this.#ask(sha256, rest, async (answer) => {
      if (answer.status !== 416) await appended(answer, partial);
      const { sha256: got } = await hashOfFile(partial);
      if (got !== sha256) {
        rmSync(partial, { force: true });
        throw contentMismatch(answer.url, sha256, got);
      }
      renameSync(partial, path);
      return path;
    });
  }
}

/** Puts what is answered behind what is there, or in its place where all of it is answered. Throws OutputError. */
async function appended(answer: HttpAnswer, partial: string): Promise<void> {
  const onDisk = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw outputError(CONTENT, partial, error);
    }
  };
  const file = onDisk(() => openToWrite(partial, { append: true }));
  try {
    if (answer.status !== 206) onDisk(() => ftruncateSync(file));
    for await (const chunk of answer.chunks()) onDisk(() => writeAll(file, chunk));
  } finally {
    closeSync(file);
  }
}
