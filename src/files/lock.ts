/**
 * @file One process at a time writes into a folder. Whoever holds the lock shows every few seconds that it is alive, by counting
 * on in the lock's file. Whether a holder on this machine is gone can be seen at once; of one elsewhere, whose clock may differ,
 * only that its count stood still while we watched. A holder that was taken for dead notices before it writes on.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, linkSync, openSync, readFileSync, readlinkSync, renameSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { RobustError } from '../core/errors.js';
import { temporaryPathOf } from './temporary-path.js';
import { outputError, writeAll } from './write.js';

interface Holder {
  readonly host: string;
  readonly pid: number;
  /** When the process started, in the kernel's ticks since boot; null where there is no /proc. Tells a reused pid apart. */
  readonly started: string | null;
  /** Where this pid means this process: the boot and the namespace of pids, or the host's name where there is no /proc. */
  readonly space: string;
  readonly token: string;
}

export interface Lock {
  /** Throws RobustError RUN_LOST where another process has taken it over. Called before anything is written. */
  check(): void;
  release(): void;
}

export interface LockOptions {
  readonly signal?: AbortSignal | undefined;
  /** Told when there is somebody to wait for. */
  readonly warn?: ((message: string) => void) | undefined;
  /** A holder elsewhere whose count stood still for so long is taken for dead. @default 60,000 ms */
  readonly lease?: number;
}

const LEASE_MS = 60_000;
/** Signs of life within a lease: some may be late on a busy disk. */
const HEARTBEATS_PER_LEASE = 12;

/**
 * Takes the folder's lock, also from a process that died holding it. Throws RobustError RUN_LOCKED where another process holds it,
 * OutputError, and the signal's AbortError while it waits.
 */
export async function lock(folder: string, { signal, warn, lease = LEASE_MS }: LockOptions = {}): Promise<Lock> {
  const path = join(folder, 'lock');
  for (;;) {
    const own = create(path, lease / HEARTBEATS_PER_LEASE);
    if (own !== undefined) return own;
    await removeStale(folder, path, { signal, warn, lease });
  }
}

/** Is a process writing into the folder now, as far as can be seen from here? */
export function isLocked(folder: string): boolean {
  const text = read(join(folder, 'lock'));
  const holder = holderIn(text);
  return text !== undefined && !(holder?.space === spaceOf() && !alive(holder));
}

/** Undefined where there is a lock already. */
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
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw outputError('the lock', path, error);
  }
  const mine = file;
  let count = 0;
  const beating = setInterval(() => {
    try {
      // Into the file we made, whatever stands at its path by now.
      writeAll(mine, bytes(++count), 0);
    } catch {
      // A beat that is missed costs the lock at worst, and that is noticed.
    }
  }, interval).unref();
  const ours = (): boolean => holderIn(read(path))?.token === token;
  return {
    check() {
      if (!ours()) throw lost(path, holderIn(read(path)));
    },
    release() {
      clearInterval(beating);
      closeSync(mine);
      if (ours()) rmSync(path, { force: true });
    },
  };
}

/** Removes the lock if its holder is gone. Throws RUN_LOCKED if it is not. */
async function removeStale(folder: string, path: string, waiting: Required<LockOptions>): Promise<void> {
  const text = read(path);
  if (text === undefined) return; // released meanwhile
  const holder = holderIn(text);
  if (holder?.space === spaceOf()) {
    if (alive(holder)) throw held(folder, holder);
  } else {
    const seconds = Math.ceil(waiting.lease / 1000);
    waiting.warn?.(
      `${folder} is locked${by(holder)}: watching for ${seconds} s whether that still shows signs of life`,
    );
    if (await changes(path, text, waiting)) {
      if (read(path) === undefined) return;
      throw held(folder, holder);
    }
  }
  // Renaming is atomic: of two processes that found the same dead holder, one takes the file away. The slower one may
  // have caught the winner's new lock instead, and puts it back.
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

/** Does the lock change, or go away, within the lease? By a clock that only runs on here: no two machines' clocks are compared. */
async function changes(path: string, text: string, { lease, signal }: Required<LockOptions>): Promise<boolean> {
  for (const began = performance.now(); performance.now() - began < lease; ) {
    await pause(lease / (4 * HEARTBEATS_PER_LEASE), undefined, signal && { signal });
    if (read(path) !== text) return true;
  }
  return false;
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

/** Hosts may share a name, and containers a host: there the same pid is another process. */
function spaceOf(): string {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

/** Of one in our space. */
function alive({ pid, started }: Holder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  // Another user's process may be hidden.
  const now = startOf(pid);
  return started === null || now === null || now === started;
}

const by = (holder: Holder | undefined): string => (holder ? ` by process ${holder.pid} on ${holder.host}` : '');

const held = (folder: string, holder: Holder | undefined): RobustError =>
  new RobustError(`another process${holder ? ` (${holder.pid} on ${holder.host})` : ''} is writing into ${folder}`, {
    code: 'RUN_LOCKED',
    hint: 'Wait for it to end, or end it.',
  });

const lost = (path: string, holder: Holder | undefined): RobustError =>
  new RobustError(`expected to hold ${path}, but it was taken away${by(holder)}: nothing more was written`, {
    code: 'RUN_LOST',
    hint: existsSync(dirname(path))
      ? 'This process showed no sign of life for too long, and another went on with the run: see what that one says.'
      : 'The folder was removed or moved while the run went on.',
  });

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Undefined for a lock that is cut short, or none. */
function holderIn(text: string | undefined): Holder | undefined {
  try {
    return JSON.parse(text?.split('\n')[0] ?? '') as Holder;
  } catch {
    return undefined;
  }
}
