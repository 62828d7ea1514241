/** @file A key that only this user can read. */
import { randomBytes } from 'node:crypto';
import { chmodSync, linkSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { readFileSync } from './read.js';
import { temporaryPathOf } from './temporary-path.js';
import { makeFolders } from './write.js';

const KEY_BYTES = 32;

/** The key in a file; undefined if it cannot be read. */
export function readKey(path: string): Buffer | undefined {
  try {
    const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'hex');
    return key.length === KEY_BYTES ? key : undefined;
  } catch {
    return undefined;
  }
}

/** The key in a file, created if it is missing; undefined if it cannot be stored. */
export function readOrCreateKey(path: string): Buffer | undefined {
  const known = readKey(path);
  if (known !== undefined) return known;
  try {
    makeFolders(dirname(path));
    const aside = temporaryPathOf(path);
    try {
      writeFileSync(aside, `${randomBytes(KEY_BYTES).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
      chmodSync(aside, 0o600);
      // Atomic; another process may have been faster.
      linkSync(aside, path);
    } finally {
      rmSync(aside, { force: true });
    }
  } catch {}
  return readKey(path);
}
