/** @file One process at a time writes into a run folder. */
import { closeSync, linkSync, openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { RobustError } from '../core/errors.js';
import { outputError, writeAll } from '../files/write.js';

interface Holder {
  readonly host: string;
  readonly pid: number;
  /** When the process started, in the kernel's ticks since boot; null where there is no /proc. Tells a reused pid apart. */
  readonly started: string | null;
}

/** Field 22 of /proc/PID/stat (proc(5)); the command name before it may hold spaces and brackets. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

function alive({ host, pid, started }: Holder): boolean {
  if (host !== hostname()) return true; // cannot be known from here
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return started === null || startOf(pid) === started;
}

/** A lock without a readable holder is being written this moment, or its writer died doing so. */
const WRITING_MS = 10_000;

const held = (folder: string, path: string, holder: Holder | undefined): RobustError =>
  new RobustError(`another process${holder ? ` (${holder.pid} on ${holder.host})` : ''} is writing into ${folder}`, {
    code: 'RUN_LOCKED',
    hint: `Wait for it to end; if it is not running any more, delete ${path}.`,
  });

/** Takes the folder's lock, also from a process that died holding it. Returns its release. Throws RUN_LOCKED. */
export function lock(folder: string): () => void {
  const path = join(folder, 'lock');
  const me: Holder = { host: hostname(), pid: process.pid, started: startOf(process.pid) };
  for (;;) {
    if (create(path, JSON.stringify(me))) return () => rmSync(path, { force: true });
    removeStale(folder, path);
  }
}

/** False where there is a lock already. */
function create(path: string, holder: string): boolean {
  let file: number | undefined;
  try {
    file = openSync(path, 'wx');
    writeAll(file, Buffer.from(holder));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    if (file !== undefined) rmSync(path, { force: true }); // ours, but the disk was full
    throw outputError('the lock of the run', path, error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Removes the lock if its holder is gone; throws RUN_LOCKED if it is not. */
function removeStale(folder: string, path: string): void {
  const text = read(path);
  if (text === undefined) return; // released meanwhile
  const holder = parse(text);
  if (holder === undefined ? ageOf(path) < WRITING_MS : alive(holder)) throw held(folder, path, holder);
  // Renaming is atomic: of two processes that found the same dead holder, one takes the file away. The slower one may
  // have caught the winner's new lock instead, and puts it back.
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  const caught = read(aside);
  if (caught !== undefined && caught !== text) linkSync(aside, path);
  rmSync(aside, { force: true });
}

function ageOf(path: string): number {
  return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Undefined for a lock that is cut short. */
function parse(text: string): Holder | undefined {
  try {
    return JSON.parse(text) as Holder;
  } catch {
    return undefined;
  }
}
