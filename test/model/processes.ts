/** The processes of isolated models, as Linux lists them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

export const canSeeProcesses = existsSync('/proc/self/stat');

/** Ids of the children of `parent` that run robust's workers. */
export function workersOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const [stat, command] = [read(`/proc/${pid}/stat`), read(`/proc/${pid}/cmdline`)];
      // After the name in brackets: state, parent. A dead one (Z) only waits to be buried.
      const [state, ppid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return Number(ppid) === parent && state !== 'Z' && /dist\/(?:src|bundle)\/.*worker\.js/.test(command);
    });
}

export const alive = (pid: number): boolean =>
  existsSync(`/proc/${pid}`) && !read(`/proc/${pid}/stat`).includes(') Z ');

/** It may end while it is looked at. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Waits until it holds, as long as a test may take. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}
