/** @file A disk of a few KiB, which fills up as a large one does. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const mounted = new Set<string>();

/** Its folder; undefined where this user may not mount one. It goes with the process. */
export function smallDisk(kib: number): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'robust-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kib}k`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    rmdirSync(folder);
    return undefined;
  }
  mounted.add(folder);
  process.once('exit', () => unmount(folder));
  return folder;
}

export function unmount(folder: string): void {
  if (!mounted.delete(folder)) return;
  execFileSync('umount', ['-l', folder], { stdio: 'ignore' });
  rmdirSync(folder);
}
