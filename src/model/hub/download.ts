/** @file One file from the Hub into the cache: resumed, verified, renamed. */
import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ModelError } from '../../core/errors.js';
import { makeFolders, syncFolder, writeAll } from '../../files/write.js';
import { onDisk, type RepositoryCache } from './cache.js';
import type { HubClient, StoredFile } from './client.js';
import type { Download } from './options.js';
import { TransientError, withRetries } from './retry.js';
import type { HubSpec } from './spec.js';

/** Tries that get nothing; those that get a part of the file do not count. */
const RETRIES = 5;

/**
 * Fetches a file's blob. What arrives goes to a file of ours beside it, which a later call goes on with. Two processes may
 * write that file at once: its bytes are known by their hash, so both write the same at the same place, and whoever is
 * done first has verified what it renames. Throws ModelError.
 */
export async function download(
  client: HubClient,
  cache: RepositoryCache,
  spec: HubSpec,
  file: StoredFile,
  onDownload: (download: Download) => void,
): Promise<void> {
  const blob = cache.blob(file.hash);
  if (cache.has(blob, file.size)) return;
  // Python's library calls its own HASH.incomplete, and appends to it.
  const partial = `${blob}.robust.incomplete`;
  // Another process may be faster.
  const finished = () => cache.has(blob, file.size);
  await onDisk(blob, async () => makeFolders(dirname(blob)));
  for (let last = false; ; last = true) {
    await receive(client, spec, file, partial, finished, onDownload);
    const got = await hashOf(partial, file);
    if (got === file.hash) {
      const otherwise = (error: unknown) => {
        if (!finished()) throw error;
      };
      return onDisk(blob, async () => {
        await rename(partial, blob).catch(otherwise);
        syncFolder(dirname(blob));
      });
    }
    await onDisk(partial, () => rm(partial, { force: true }));
    if (finished()) return;
    if (last) throw altered(spec, file, got);
    // What an earlier download had left may have been at fault: once more, from the start.
  }
}

/** Fills `partial` up to the file's size, unless somebody else has `finished` it. */
async function receive(
  client: HubClient,
  spec: HubSpec,
  file: StoredFile,
  partial: string,
  finished: () => boolean,
  onDownload: (download: Download) => void,
): Promise<void> {
  const handle = await onDisk(partial, () => open(partial, constants.O_RDWR | constants.O_CREAT, 0o666));
  try {
    let at = (await handle.stat()).size;
    if (at > file.size) {
      await handle.truncate(0);
      at = 0;
    }
    // As far as any try got: a server that begins anew each time gets nowhere. So does one that sends a byte a time.
    let farthest = at;
    let before = at;
    const began = performance.now();
    let resumed = at;
    const tell = () => {
      const seconds = (performance.now() - began) / 1000;
      onDownload({ file: file.name, done: at, total: file.size, resumed, seconds });
    };
    const patience = {
      retries: RETRIES,
      pause: client.pause,
      progressed: () => farthest - before >= Math.min(file.size / 1000, file.size - before),
    };
    await withRetries(`${file.name} of ${spec.id} broke off`, patience, async () => {
      before = farthest;
      if (at === file.size) return;
      const { start, chunks } = await client.read(spec, file, at);
      if (start < at) {
        at = start;
        resumed = start;
      }
      tell();
      for await (const chunk of chunks) {
        if (finished()) return;
        if (at + chunk.length > file.size) throw altered(spec, file, `more than its ${file.size} bytes`);
        await onDisk(partial, async () => writeAll(handle.fd, chunk, at));
        at += chunk.length;
        farthest = Math.max(farthest, at);
        tell();
      }
      if (at < file.size) throw new TransientError(`the connection ended after ${at} of ${file.size} bytes`);
    });
    await onDisk(partial, () => handle.sync());
  } finally {
    await handle.close();
  }
}

/** In the manner of the expected hash; undefined where the file is gone. */
async function hashOf(path: string, { hash, size }: StoredFile): Promise<string | undefined> {
  const sum = createHash(hash.length === 64 ? 'sha256' : 'sha1');
  // Git hashes a header before the contents (gitformat-loose: "blob SIZE\0").
  if (hash.length === 40) sum.update(`blob ${size}\u0000`);
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 20 })) sum.update(chunk as Buffer);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return sum.digest('hex');
}

const altered = ({ id }: HubSpec, { name, hash }: StoredFile, got = 'nothing'): ModelError =>
  new ModelError(`${name} of ${id}: expected contents with the hash ${hash}, got ${got}`, {
    code: 'HUB_CHECKSUM',
    hint: 'Something between the Hub and here alters what it sends: a proxy, or the mirror that HF_ENDPOINT names. Nothing of it was kept.',
  });
