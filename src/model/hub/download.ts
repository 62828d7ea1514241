/** @file One file from the Hub into the cache: resumed, verified, renamed. */
import { createHash } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf, ModelError } from '../../core/errors.js';
import { sideBySide } from '../../core/side-by-side.js';
import { createReadStream } from '../../files/read.js';
import { makeFolders, syncFolder } from '../../files/write.js';
import { onDisk, type RepositoryCache } from './cache.js';
import type { HubClient, StoredFile } from './client.js';
import type { Download } from './options.js';
import { type FileSegment, PartialFile, removeNotes, removePartial } from './partial-file.js';
import { TransientError, withRetries } from './retry.js';
import type { HubSpec } from './spec.js';

/** Tries that get nothing; those that get a part of the file do not count. */
const RETRIES = 5;

/** Where files come from and go to. */
interface Transfer {
  readonly client: HubClient;
  readonly cache: RepositoryCache;
  readonly spec: HubSpec;
  /** At once, for the segments of a large file. */
  readonly connections: number;
}

/**
 * Fetches a file's blob. Data are written to a temporary file in the same folder, which a later call continues. Two processes may write
 * that file at once: both write the same bytes to the same places, and the first to finish has verified the hash of what it renames. Throws
 * ModelError.
 */
export async function download(
  transfer: Transfer,
  file: StoredFile,
  onDownload: (download: Download) => void,
): Promise<void> {
  const { cache, spec } = transfer;
  const blob = cache.blob(file.hash);
  if (cache.has(blob, file.size)) return;
  // Python's library calls its own HASH.incomplete, and appends to it.
  const partial = `${blob}.robust.incomplete`;
  // Another process may be faster.
  const isFinished = () => cache.has(blob, file.size);
  await onDisk(blob, async () => makeFolders(dirname(blob)));
  for (let last = false; ; last = true) {
    await receive(transfer, file, partial, isFinished, onDownload);
    const got = await hashOf(partial, file);
    if (got === file.hash) {
      // Another download that read the file half-written may have removed it since.
      const otherwise = (error: NodeJS.ErrnoException): boolean => {
        if (isFinished()) return true;
        if (error.code !== 'ENOENT' || last) throw error;
        return false;
      };
      const renamed = await onDisk(blob, () => rename(partial, blob).then(() => true, otherwise));
      if (!renamed) continue;
      return onDisk(blob, async () => {
        await removeNotes(partial);
        syncFolder(dirname(blob));
      });
    }
    await removePartial(partial);
    if (isFinished()) return;
    if (last) throw altered(spec, file, got);
    // The leftovers of an earlier download may be wrong, so try once more from the start.
  }
}

/** A server sent the whole file where a segment was asked for. */
class NoRanges extends Error {}

/** Fills `partial` up to the file's size, unless somebody else has `finished` it. */
async function receive(
  { client, spec, connections }: Transfer,
  file: StoredFile,
  partial: string,
  finished: () => boolean,
  onDownload: (download: Download) => void,
): Promise<void> {
  const kept = await PartialFile.open(partial, file.size);
  try {
    const began = performance.now();
    let resumed = kept.done;
    const report = () => {
      const seconds = (performance.now() - began) / 1000;
      onDownload({ file: file.name, done: kept.done, total: file.size, resumed, seconds });
    };
    const fill = async (segment: FileSegment, failed: () => boolean): Promise<void> => {
      const whole = kept.segments.length === 1;
      // Progress of all attempts: a server that restarts each time, or sends single bytes, makes none.
      let farthest = segment.at;
      let before = segment.at;
      const enough = (segment.end - segment.start) / 1000;
      const patience = {
        retries: RETRIES,
        pause: client.pause,
        progressed: () => farthest - before >= Math.min(enough, segment.end - before),
      };
      await withRetries(`${file.name} of ${spec.id} broke off`, patience, async () => {
        before = farthest;
        if (segment.at === segment.end || finished() || failed()) return;
        const { start, end, chunks, discard } = await client.read(spec, file, { start: segment.at, end: segment.end });
        if (start !== segment.at || end !== segment.end) {
          if (!whole) {
            discard();
            throw new NoRanges();
          }
          segment.at = start;
          resumed = start;
        }
        report();
        for await (const chunk of chunks) {
          if (finished() || failed()) return;
          if (segment.at + chunk.length > segment.end) {
            throw altered(spec, file, `more than its ${segment.end - segment.start} bytes from ${segment.start} on`);
          }
          await kept.append(segment, chunk);
          farthest = Math.max(farthest, segment.at);
          report();
        }
        if (segment.at < segment.end) {
          const [got, wanted] = [segment.at - segment.start, segment.end - segment.start];
          throw new TransientError(`the connection ended after ${got} of ${wanted} bytes`);
        }
      });
    };
    try {
      const missing = kept.segments.filter(({ at, end }) => at < end);
      await sideBySide(missing, connections, fill);
    } catch (error) {
      if (!(error instanceof NoRanges)) throw error;
      resumed = 0;
      await fill(await kept.join(), () => false);
    }
    await kept.sync();
  } finally {
    await kept.close();
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
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  return sum.digest('hex');
}

const altered = ({ id }: HubSpec, { name, hash }: StoredFile, got = 'nothing'): ModelError =>
  new ModelError(`${name} of ${id}: expected contents with the hash ${hash}, got ${got}`, {
    code: 'HUB_DAMAGED',
    hint: 'Something between the Hub and here alters what it sends: a proxy, or the mirror that HF_ENDPOINT names. Nothing of it was kept.',
  });
