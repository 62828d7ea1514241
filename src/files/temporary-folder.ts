/** @file Folders that are gone when the work that needed them ends, however it ends; but for a kill that asks nobody. */
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

/** An empty folder; `name` says what for, whoever finds it. Throws the system's error. */
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

/** For an end at once, without the exit of the process. */
export function removeTemporaryFolders(): void {
  for (const path of there) rmSync(path, { recursive: true, force: true });
  there.clear();
}
