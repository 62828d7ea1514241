/**
 * @file A worker's way to the coordinator of a run: content by its hash, in pieces that a broken connection does not lose, and what came of
 * a task. A coordinator that is away is waited for: it comes back at another address, with nothing lost.
 */
import { closeSync, existsSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { RobustError } from '../core/errors.js';
import { makeFolder, outputError, writeAll } from '../files/write.js';
import { type ContentSource, contentMismatch, FolderStore, hashOf, hashOfFile } from './store.js';

export interface CoordinatorAddress {
  readonly url: string;
  /** Whoever has it may read the run's content and deliver to it. */
  readonly token: string;
}

export interface LinkOptions {
  /** Where the coordinator is now; undefined while that is not known; `over` where the run is not worked on any more. */
  where(): CoordinatorAddress | 'over' | undefined;
  readonly signal: AbortSignal;
  /** Told when there is somebody to wait for. */
  warn(message: string): void;
}

/** The coordinator took it; or said that the run is over, or that another machine found something else. */
export type Receipt = 'kept' | 'over' | 'differs';

const CONTENT = 'the content of a run';
/** Milliseconds between two tries. */
const AGAIN = [100, 250, 500, 1000, 2000] as const;
const IDLE_MS = 60_000;
/** Larger content is kept in a file. */
const IN_MEMORY = 64 << 20;

export class CoordinatorLink implements ContentSource {
  readonly #cache: FolderStore;
  readonly #options: LinkOptions;

  /** `cache`: a folder for large content, which may outlive the run. */
  constructor(cache: string, options: LinkOptions) {
    this.#cache = new FolderStore(cache);
    this.#options = options;
  }

  async bytes(sha256: string): Promise<Buffer> {
    return this.#untilDone(async ({ url, token }, signal) => {
      const answer = await fetch(`${url}/content/${sha256}`, { headers: bearer(token), signal });
      await refused(answer, [200]);
      const size = Number(answer.headers.get('content-length') ?? 0);
      if (size > IN_MEMORY)
        throw new RobustError(`${url}: expected at most ${IN_MEMORY} bytes, got ${size}`, { code: 'CONTENT_LARGE' });
      const bytes = Buffer.from(await answer.arrayBuffer());
      const got = hashOf(bytes);
      if (got !== sha256) throw contentMismatch(`${url}/content/${sha256}`, sha256, got);
      return bytes;
    });
  }

  async file(sha256: string): Promise<string> {
    const path = this.#cache.pathOf(sha256);
    if (existsSync(path)) {
      // Another run's file may have been changed since.
      if ((await hashOfFile(path)).sha256 === sha256) return path;
      rmSync(path, { force: true });
    }
    return this.#untilDone(async (address, signal) => {
      await this.#fetchFile(address, sha256, path, signal);
      return path;
    });
  }

  /** Goes on where an earlier try of this process ended. */
  async #fetchFile(
    { url, token }: CoordinatorAddress,
    sha256: string,
    path: string,
    signal: AbortSignal,
  ): Promise<void> {
    const partial = `${path}.${process.pid}.part`;
    makeFolder(join(path, '..'), CONTENT);
    const have = statSync(partial, { throwIfNoEntry: false })?.size ?? 0;
    const answer = await fetch(`${url}/content/${sha256}`, {
      headers: { ...bearer(token), ...(have > 0 && { range: `bytes=${have}-` }) },
      signal,
    });
    if (answer.status !== 416) {
      await refused(answer, [200, 206]);
      const onDisk = <T>(work: () => T): T => {
        try {
          return work();
        } catch (error) {
          throw outputError(CONTENT, partial, error);
        }
      };
      const file = onDisk(() => openSync(partial, answer.status === 206 ? 'a' : 'w'));
      try {
        for await (const chunk of answer.body ?? []) onDisk(() => writeAll(file, chunk as Uint8Array));
      } finally {
        closeSync(file);
      }
    }
    const { sha256: got } = await hashOfFile(partial);
    if (got !== sha256) {
      rmSync(partial, { force: true });
      throw contentMismatch(`${url}/content/${sha256}`, sha256, got);
    }
    renameSync(partial, path);
  }

  async deliver(delivery: Buffer): Promise<Receipt> {
    return this.#untilDone<Receipt>(async ({ url, token }, signal) => {
      const answer = await fetch(`${url}/deliver`, {
        method: 'POST',
        body: new Uint8Array(delivery),
        headers: bearer(token),
        signal,
      });
      if (answer.status === 410) return 'over';
      if (answer.status === 409) return 'differs';
      await refused(answer, [200]);
      return 'kept';
    });
  }

  /** Does work until it succeeds, is refused for good, or the signal ends it. */
  async #untilDone<T>(work: (address: CoordinatorAddress, signal: AbortSignal) => Promise<T>): Promise<T> {
    const { where, signal, warn } = this.#options;
    for (let tries = 0; ; tries++) {
      signal.throwIfAborted();
      const address = where();
      if (address === 'over') throw runOver();
      try {
        if (address !== undefined) return await work(address, AbortSignal.any([signal, AbortSignal.timeout(IDLE_MS)]));
      } catch (error) {
        if (error instanceof RobustError && error.code !== 'COORDINATOR_BUSY') throw error;
        if (signal.aborted) throw error;
        if (tries === AGAIN.length)
          warn(`the coordinator at ${address?.url} does not answer: ${reasonOf(error)}; waiting for it`);
      }
      await pause(AGAIN[Math.min(tries, AGAIN.length - 1)], undefined, { signal });
    }
  }
}

/** The run is not worked on any more: what was found for it is not needed. */
const runOver = (): RobustError => new RobustError('the run is over, or was stopped', { code: 'RUN_OVER' });

const reasonOf = (error: unknown): string => {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code || message : message;
};

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Throws for another status: COORDINATOR_BUSY where it may be better later. */
async function refused(answer: Response, expected: readonly number[]): Promise<void> {
  if (expected.includes(answer.status)) return;
  const text = (await answer.text().catch(() => '')).slice(0, 300);
  throw new RobustError(`${answer.url}: expected status ${expected.join(' or ')}, got ${answer.status} ${text}`, {
    code: answer.status >= 500 || answer.status === 401 ? 'COORDINATOR_BUSY' : 'COORDINATOR_REFUSED',
  });
}
