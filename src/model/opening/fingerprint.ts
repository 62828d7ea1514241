import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename, relative } from 'node:path';
import { createReadStream } from '../../files/read.js';

/**
 * SHA-256, hex, over the names (relative to `folder`, sorted) and contents of the files that decide a model's answers.
 * The same files in another folder have the same fingerprint.
 */
export async function fingerprint(folder: string, paths: readonly string[]): Promise<string> {
  const whole = createHash('sha256');
  // Files elsewhere, such as a graph converted from the weights, have a different path on every machine.
  const name = (path: string) => {
    const way = relative(folder, path).replaceAll('\\', '/');
    return way.startsWith('../') ? basename(path) : way;
  };
  const named = paths.map((path) => [name(path), path] as const);
  for (const [name, path] of named.sort(([a], [b]) => (a < b ? -1 : 1))) {
    whole.update(`${name}\u0000${await fileHash(path)}\n`);
  }
  return whole.digest('hex');
}

const known = new Map<string, { readonly stamp: string; readonly hash: Promise<string> }>();

/** SHA-256, hex. A process reads a file once, for as long as its stamp stays the same. */
export async function fileHash(path: string): Promise<string> {
  const now = await stamp([path]);
  const found = known.get(path);
  if (found?.stamp === now) return found.hash;
  const hash = hashFile(path);
  known.set(path, { stamp: now, hash });
  hash.catch(() => known.delete(path));
  return hash;
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 20 })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** Changes whenever one of the files is written: their sizes and times. */
export async function stamp(paths: readonly string[]): Promise<string> {
  const facts = await Promise.all(paths.map((path) => stat(path, { bigint: true })));
  return facts.map(({ size, mtimeNs, ino }) => `${size} ${mtimeNs} ${ino}`).join('\n');
}
