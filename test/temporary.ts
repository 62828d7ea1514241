/**
 * Environment of all tests: a temporary folder of the whole run, removed at its end, and no telemetry of libraries. Removes the leftovers
 * of killed runs at the next start.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const NAME = /^robust-tests-(\d+)-/;

export default function setup(): () => void {
  const above = tmpdir();
  // Every project of vitest is set up in the one process of the run. A folder in a folder would be too long a path for Chromium's socket.
  if (basename(above).startsWith(`robust-tests-${process.pid}-`)) return () => {};
  for (const name of readdirSync(above)) {
    const owner = NAME.exec(name)?.[1];
    if (owner !== undefined && !isAlive(Number(owner))) remove(join(above, name));
  }
  const folder = mkdtempSync(join(above, `robust-tests-${process.pid}-`));
  // The variables that Node reads on any system. The test processes inherit them.
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) process.env[name] = folder;
  // As the product has it; what tests put in place of process.env does not reach a library.
  process.env.ORT_DISABLE_TELEMETRY = '1';
  return () => remove(folder);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Another user's, and what a process still writes to, stay until the next time. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {}
}
