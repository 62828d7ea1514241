/**
 * @file A lock that lets only one process write into a folder. The holder increments a counter in the lock file every few seconds as a
 * heartbeat. A dead holder on this machine is detected at once. A holder on another machine, whose clock may differ, is presumed dead if
 * its counter does not change while we watch. A holder that was wrongly presumed dead notices before its next write.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, linkSync, openSync, readlinkSync, renameSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf, RobustError } from '../core/errors.js';
import { readFileSync } from './read.js';
import { temporaryPathOf } from './temporary-path.js';
import { checkNoLink, outputError, writeAll } from './write.js';

interface Holder {
  readonly host: string;
  readonly pid: number;
  /** Start of the process in kernel ticks since boot; null without /proc. Distinguishes a reused pid. */
  readonly started: string | null;
  /** Scope in which this pid is unique: the boot and the pid namespace, or the host name without /proc. */
  readonly space: string;
  readonly token: string;
}

export interface Lock {
  /** Throws RobustError RUN_TAKEN if another process has taken the lock over, RUN_DAMAGED if it is gone. Called before each write. */
  check(): void;
  release(): void;
}

export interface LockOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called if another process must be waited for. */
  readonly warn?: ((message: string) => void) | undefined;
  /** A remote holder whose counter did not change for this long is presumed dead. @default 60,000 ms */
  readonly lease?: number;
}

const LEASE_MS = 60_000;
/** Heartbeats within a lease; some may be late on a busy disk. */
const HEARTBEATS_PER_LEASE = 12;

/**
 * Takes the folder's lock, also from a process that died holding it. Throws RobustError RUN_TAKEN if another process holds it,
 * OutputError, and the signal's AbortError while waiting.
 */
export async function lock(folder: string, { signal, warn, lease = LEASE_MS }: LockOptions = {}): Promise<Lock> {
  checkNoLink(folder);
  const path = join(folder, 'lock');
  for (;;) {
    const taken = create(path, lease / HEARTBEATS_PER_LEASE);
    if (taken !== undefined) return taken;
    await removeStale(folder, path, { signal, warn, lease });
  }
}

/** Is a process writing into the folder, as far as this machine can see? */
export function isLocked(folder: string): boolean {
  const text = read(join(folder, 'lock'));
  const holder = holderIn(text);
  return text !== undefined && !(holder?.space === spaceOf() && !alive(holder));
}

/** Undefined if there already is a lock. */
function create(path: string, interval: number): Lock | undefined {
  const token = randomUUID();
  const me: Holder = { host: hostname(), pid: process.pid, started: startOf(process.pid), space: spaceOf(), token };
  const bytes = (count: number): Uint8Array =>
    Buffer.from(`${JSON.stringify(me)}\n${String(count).padStart(12, '0')}\n`);
  let file: number | undefined;
  try {
    file = openSync(path, 'wx');
    writeAll(file, bytes(0));
  } catch (error) {
    if (file !== undefined) {
      closeSync(file);
      rmSync(path, { force: true }); // ours, but the disk was full
    }
    if (codeOf(error) === 'EEXIST') return undefined;
    throw outputError('the lock', path, error);
  }
  const mine = file;
  let count = 0;
  const beating = setInterval(() => {
    try {
      // Writes to the open file, even if its path was replaced meanwhile.
      writeAll(mine, bytes(++count), 0);
    } catch {
      // A missed heartbeat can cost the lock, which `check` then detects.
    }
  }, interval).unref();
  const ours = (): boolean => holderIn(read(path))?.token === token;
  return {
    check() {
      if (!ours()) throw lostError(path, holderIn(read(path)));
    },
    release() {
      clearInterval(beating);
      closeSync(mine);
      if (ours()) rmSync(path, { force: true });
    },
  };
}

/** Removes the lock if its holder is gone. Throws RUN_TAKEN if it is not. */
async function removeStale(folder: string, path: string, waiting: Required<LockOptions>): Promise<void> {
  const text = read(path);
  if (text === undefined) return; // released meanwhile
  const holder = holderIn(text);
  if (holder?.space === spaceOf()) {
    if (alive(holder)) throw lockedError(folder, holder);
  } else {
    const seconds = Math.ceil(waiting.lease / 1000);
    waiting.warn?.(`${folder} is locked${by(holder)}: watching its heartbeat for ${seconds} s`);
    if (await changes(path, text, waiting)) {
      if (read(path) === undefined) return;
      throw lockedError(folder, holder);
    }
  }
  // Renaming is atomic: if two processes find the same dead holder, only one takes the file away. The slower one may have caught the
  // winner's new lock, and restores it.
  const aside = temporaryPathOf(path);
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  const caught = read(aside);
  try {
    if (caught !== undefined && caught !== text) linkSync(aside, path);
  } finally {
    rmSync(aside, { force: true });
  }
}

/** Does the lock change or disappear within the lease? Uses a local monotonic clock: clocks of two machines are never compared. */
async function changes(path: string, text: string, { lease, signal }: Required<LockOptions>): Promise<boolean> {
  for (const began = performance.now(); performance.now() - began < lease; ) {
    await pause(lease / (4 * HEARTBEATS_PER_LEASE), undefined, signal && { signal });
    if (read(path) !== text) return true;
  }
  return false;
}

/** Field 22 of /proc/PID/stat (proc(5)); the preceding command name may contain spaces and brackets. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

/** Hosts may share a name, and containers a host, so the same pid may be another process. */
function spaceOf(): string {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

/** For a holder in our pid space. */
function alive({ pid, started }: Holder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false;
  }
  // Another user's process may be hidden.
  const now = startOf(pid);
  return started === null || now === null || now === started;
}

const by = (holder: Holder | undefined): string => (holder ? ` by process ${holder.pid} on ${holder.host}` : '');

const lockedError = (folder: string, holder: Holder | undefined): RobustError =>
  new RobustError(`another process${holder ? ` (${holder.pid} on ${holder.host})` : ''} is writing into ${folder}`, {
    code: 'RUN_TAKEN',
    hint: 'Wait for it to end, or end it.',
  });

const lostError = (path: string, holder: Holder | undefined): RobustError =>
  new RobustError(`expected to hold ${path}, but it was taken away${by(holder)}: nothing more was written`, {
    code: holder === undefined ? 'RUN_DAMAGED' : 'RUN_TAKEN',
    hint:
      holder === undefined
        ? 'The folder or its lock was removed or moved during the run.'
        : 'This process sent no heartbeat for too long, and another one continued the run: see its output.',
  });

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Undefined for a missing or truncated lock. */
function holderIn(text: string | undefined): Holder | undefined {
  try {
    return JSON.parse(text?.split('\n')[0] ?? '') as Holder;
  } catch {
    return undefined;
  }
}
