/** @file Temporary folders that are removed when the work ends, unless the process is killed with SIGKILL. */
import { mkdtempSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryFolder {
  readonly path: string;
  remove(): Promise<void>;
}

const there = new Set<string>();
let listening = false;

/** An empty folder; `name` describes its purpose to whoever finds it. Throws the system's error. */
export function temporaryFolder(name: string): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), `robust-${name}-`));
  there.add(path);
  if (!listening) process.once('exit', removeTemporaryFolders);
  listening = true;
  return {
    path,
    remove: async () => {
      await rm(path, { recursive: true, force: true });
      there.delete(path);
    },
  };
}

/** Removes them immediately, for an abrupt end of the process. */
export function removeTemporaryFolders(): void {
  for (const path of there) rmSync(path, { recursive: true, force: true });
  there.clear();
}
