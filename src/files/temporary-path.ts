/** @file Names for what is written aside, by which the leavings of killed processes are known and removed. */
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** Those of this process, which may be written at this moment. */
const own = new Set<string>();

/** Short, whatever the name of the file: `.robust-<target>-<process>-<random>.part`. Other machines have targets of their own. */
const prefixOf = (path: string): string =>
  `.robust-${createHash('sha256')
    .update(`${hostname()}\0${basename(path)}`)
    .digest('hex')
    .slice(0, 8)}-`;

/** A path beside this one that nobody else writes. */
export function temporaryPathOf(path: string): string {
  const name = `${prefixOf(path)}${process.pid}-${randomBytes(4).toString('hex')}.part`;
  own.add(name);
  return join(dirname(path), name);
}

/** Is it a name of something unfinished? */
export const isTemporaryName = (name: string): boolean => /^\.robust-[0-9a-f]{8}-\d+-[0-9a-f]{8}\.part$/.test(name);

/** Removes what killed processes left beside this path while they were writing it. */
export function removeLeftovers(path: string): void {
  const prefix = prefixOf(path);
  const folder = dirname(path);
  for (const name of namesIn(folder)) {
    if (!name.startsWith(prefix) || !isTemporaryName(name) || own.has(name)) continue;
    const writer = Number(name.slice(prefix.length).split('-')[0]);
    if (writer === process.pid || !runs(writer)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

/** A folder that may be written need not be readable. */
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
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
