/** @file Names of temporary files, which also identify the leftovers of killed processes. */
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../core/errors.js';

/** Paths of this process, which may be in use. */
const inUse = new Set<string>();

/** Short, whatever the name of the file: `.robust-<target>-<process>-<random>.part`. `<target>` depends on the machine. */
const prefixOf = (path: string): string =>
  `.robust-${createHash('sha256')
    .update(`${hostname()}\0${basename(path)}`)
    .digest('hex')
    .slice(0, 8)}-`;

/** A path in the same folder that no other process writes. */
export function temporaryPathOf(path: string): string {
  const name = `${prefixOf(path)}${process.pid}-${randomBytes(4).toString('hex')}.part`;
  inUse.add(name);
  return join(dirname(path), name);
}

/** Is it the name of an unfinished file? */
export const isTemporaryName = (name: string): boolean => /^\.robust-[0-9a-f]{8}-\d+-[0-9a-f]{8}\.part$/.test(name);

/** Removes what killed processes left in this folder while they were writing `path`. */
export function removeLeftovers(path: string): void {
  const prefix = prefixOf(path);
  const folder = dirname(path);
  for (const name of namesIn(folder)) {
    if (!name.startsWith(prefix) || !isTemporaryName(name) || inUse.has(name)) continue;
    const writer = Number(name.slice(prefix.length).split('-')[0]);
    if (writer === process.pid || !runs(writer)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

/** A writable folder need not be readable. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}
